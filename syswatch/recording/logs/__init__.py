"""Recordings made of logs of strace."""
