"""The ptrace backend, which needs nothing but the kernel."""
