"""Inherited methods under the name of the estimator that has them."""

import types


def name_methods(kind: type, *names: str) -> None:
    """Give a class inherited methods of its own name, which errors of calls show.

    Without it ``LazyBayesRulesClassifier().fit(X, y, sample_weight=w)`` is refused by
    "UnweightedClassifier.fit() got an unexpected keyword argument".
    """
    for name in names:
        method = getattr(kind, name, None)
        if isinstance(method, types.FunctionType) and name not in vars(kind):
            setattr(kind, name, _renamed(method, f"{kind.__qualname__}.{name}"))


def _renamed(method: types.FunctionType, qualified: str) -> types.FunctionType:
    """The same function under another name."""
    twin = types.FunctionType(
        method.__code__,
        method.__globals__,
        method.__name__,
        method.__defaults__,
        method.__closure__,
    )
    twin.__kwdefaults__ = method.__kwdefaults__
    twin.__annotations__ = method.__annotations__
    twin.__doc__, twin.__module__ = method.__doc__, method.__module__
    twin.__dict__.update(method.__dict__)
    twin.__qualname__ = qualified
    return twin
