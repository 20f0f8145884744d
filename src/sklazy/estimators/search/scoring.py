"""Which scorers a search uses, and which metadata goes where."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

from sklearn import get_config
from sklearn.metrics import check_scoring
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)

from sklazy.compat import forwards_sample_weight
from sklazy.errors import BadInputError, DataWarning
from sklazy.estimators.search.split_scores import Model, Scorers

Params = dict[str, Any]


def find_scorers(estimator: Model, scoring: object) -> Scorers:
    """Return one scorer (the estimator's own for None) or a dict of several."""
    if callable(scoring):
        return scoring
    if scoring is None or isinstance(scoring, str):
        found: Callable[..., Any] = check_scoring(estimator, scoring)
        return found
    if isinstance(scoring, (list, tuple, set)):
        scoring = {name: name for name in scoring}
    if not isinstance(scoring, Mapping) or not scoring:
        raise BadInputError(
            f"scoring={scoring!r} names no metric; give None, a name, a callable, a "
            "list of names or a dict of scorers."
        )
    return {str(name): check_scoring(estimator, one) for name, one in scoring.items()}


def named_scorers(scorers: Scorers) -> Mapping[str, Callable[..., Any]]:
    """Return the scorers by name; a single one is called "score"."""
    return scorers if isinstance(scorers, Mapping) else {"score": scorers}


def search_router(search: Model, scorers: Scorers) -> MetadataRouter:
    """Route what `fit` is given to the estimator, the scorers and the splitter."""
    router = MetadataRouter(owner=search)
    router.add(
        estimator=search.estimator,
        method_mapping=MethodMapping().add(caller="fit", callee="fit"),
    )
    router.add(
        splitter=search.cv,
        method_mapping=MethodMapping().add(caller="fit", callee="split"),
    )
    scoring = (
        MethodMapping()
        .add(caller="fit", callee="score")
        .add(caller="score", callee="score")
    )
    for name, scorer in named_scorers(scorers).items():
        router.add(method_mapping=scoring, **{f"scorer_{name}": scorer})
    return router


def route_fit(search: Model, params: Params, scorers: Scorers) -> Bunch:
    """Return what goes to `fit`, to `split`, and by name to each scorer."""
    if get_config()["enable_metadata_routing"]:
        routed = process_routing(search, "fit", **params)
        return Bunch(
            fit=routed.estimator.fit,
            split=routed.splitter.split,
            score={
                name: routed[f"scorer_{name}"].score for name in named_scorers(scorers)
            },
        )
    rest = dict(params)
    split = {"groups": rest.pop("groups", None)}
    weight = rest.get("sample_weight")
    return Bunch(fit=rest, split=split, score=_weigh(scorers, weight))


def route_score(search: Model, params: Params, name: str) -> Params:
    """Return what goes to one scorer when the search itself is scored."""
    if get_config()["enable_metadata_routing"]:
        routed = process_routing(search, "score", **params)
        return dict(routed[f"scorer_{name}"].score)
    if params:
        raise BadInputError(
            f"{sorted(params)} cannot be passed to score unless metadata routing is "
            "on; sklearn.set_config(enable_metadata_routing=True) enables it."
        )
    return {}


def check_error_score(error_score: float | str) -> float | str:
    """Refuse words other than "raise"."""
    if isinstance(error_score, str) and error_score != "raise":
        raise BadInputError(
            f"error_score={error_score!r} is not known; give a number or 'raise'."
        )
    return error_score


def _weigh(scorers: Scorers, weight: object) -> dict[str, Params]:
    """Give sample weights to the scorers that take them, as GridSearchCV does."""
    if weight is None:
        return {}
    named = named_scorers(scorers)
    taking = [name for name, scorer in named.items() if forwards_sample_weight(scorer)]
    if len(taking) < len(named):
        warnings.warn(
            f"sample_weight is not used in scoring by {named.keys() - set(taking)}; "
            "enable metadata routing to say which scorer gets it.",
            DataWarning,
            stacklevel=4,
        )
    return {name: {"sample_weight": weight} for name in taking}
