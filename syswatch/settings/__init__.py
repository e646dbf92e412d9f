"""Settings that the command line parses and the HTTP server uses; importing them is cheap."""
