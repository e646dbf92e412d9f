"""
The terminal UI: a view with keys, drawn with Textual.

Texts are pure functions of a snapshot that return lines of pieces; one place turns pieces into
cells and makes them harmless.  What updates often is a widget of our own that draws line by line.
"""
