"""One file per agent framework, over its public extension points; each is imported only when it is used."""
