"""What every backend has to do, written once and tested with each."""
