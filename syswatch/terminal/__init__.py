"""
What syswatch shows in a terminal: the summary, a progress bar, and the live UI.

`availability` decides whether the UI can be shown, without importing Textual.  Only `ui` needs
Textual, so an installation without it has everything else.
"""
