"""What can be shown: the demo now; the papers' protocols are to come."""
