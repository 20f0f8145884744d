"""The number of attributes by wrapper and by vote: Pereira et al., JIDM 2011."""
