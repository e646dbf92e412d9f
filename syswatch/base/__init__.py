"""What everything else may use: escaped text, masked secrets, the standard streams."""
