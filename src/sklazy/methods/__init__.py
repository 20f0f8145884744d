"""The methods, a folder each: from cases to answers, their receipts and drawings."""
