"""The details of one row of a list: on a page, or beside the list."""
