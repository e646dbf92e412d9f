"""The tracer that counts in the kernel: exact, and cheap enough for a busy program."""
