"""Local models on a device, which agree with those beside them to rounding."""
