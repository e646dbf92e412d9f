"""
The version of syswatch, the one place that has it.

Reading it from the metadata of the package takes longer than printing the help.
"""

VERSION = "0.1.0"
