"""Which missing attribute to measure next."""
