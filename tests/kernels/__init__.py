"""Running tests on another kernel, in an emulated machine; on demand only."""
