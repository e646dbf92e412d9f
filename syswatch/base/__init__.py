"""Escaping of text, masking of secrets, and the standard streams; every package may use them."""
