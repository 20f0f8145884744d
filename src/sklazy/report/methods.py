"""Names of methods in words: the same in verdicts, tables and lists."""


def name_method(host: str, family: str) -> str:
    """A method in a few words, with the kind of its selection.

    Examples
    --------
    >>> name_method("k-NN", "lazy selection"), name_method("k-NN", "no selection")
    ('k-NN with lazy selection', 'k-NN without selection')
    >>> name_method("random forest", "eager model")
    'random forest'
    """
    if not family.endswith("selection"):
        return host
    with_it = f"{host} with {family}"
    return f"{host} without selection" if family == "no selection" else with_it
