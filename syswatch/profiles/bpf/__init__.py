"""Profiles as programs for the kernel: compiling, decoding and interpreting classic BPF."""
