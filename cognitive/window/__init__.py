"""What of the conversation does the model see? A window, valid, bounded and stable; what leaves it is summarised."""
