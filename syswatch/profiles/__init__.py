"""Seccomp profiles: which calls a program needs, in all formats that enforce it."""
