"""The eBPF backend, which counts in the kernel."""
