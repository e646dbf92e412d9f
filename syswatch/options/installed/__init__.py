"""Files that the wheel installs for man and for shells, rendered from the registry of commands."""
