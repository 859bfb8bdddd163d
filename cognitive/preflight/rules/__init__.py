"""The rules as data: rows with example sentences, and the linear-time engine that matches them."""
