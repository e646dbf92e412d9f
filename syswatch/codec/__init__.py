"""What leaves and enters the process as bytes: frames, recordings, and answers of others."""
