"""Missing cells of tables filled by lazy models, with reasons."""
