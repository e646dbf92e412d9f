"""The programs: `syswatch` and its twistd plugin, wired together from all layers."""
