"""Models in MLflow: saved, logged, registered, loaded and served as their own file.

The artifact is the file that `save` writes: data only, nothing in it is executed when
it is loaded. As a function of Python (``pyfunc``) a model answers by any method:

    sklazy.mlflow.log_model(model, name="churn")
    mlflow.pyfunc.load_model(uri).predict(rows, params={"method": "explain"})
"""

import os
import tempfile
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import sklazy
from sklazy.errors import BadInputError, BadTypeError, MissingExtraError
from sklazy.estimators.base import LazyEstimator
from sklazy.storage.stored import parts_of
from sklazy.tables import Column, Table
from sklazy.tables.reading import CALENDAR

try:
    from mlflow import artifacts, pyfunc
    from mlflow.models import Model, ModelSignature
    from mlflow.types import ColSpec, DataType, ParamSchema, ParamSpec, Schema
    from mlflow.types.schema import AnyType
except ImportError as error:
    raise MissingExtraError(
        "sklazy.mlflow needs mlflow; install it with pip install 'sklazy[mlflow]'."
    ) from error

if TYPE_CHECKING:
    import pandas

__all__ = ["ServedModel", "load_model", "log_model", "save_model"]

_FILE = "model.sklazy"
_LOADER = "sklazy.mlflow"
_PARAMS: dict[str, Any] = {
    "method": "predict",
    "coverage": 0.9,
    "accuracy": 0.9,
    "k": 5,
    "reasons": False,
}


def save_model(
    model: LazyEstimator,
    path: str | Path,
    *,
    signature: Any = None,  # noqa: ANN401 - mlflow has no types
    input_example: object = None,
    **options: Any,  # noqa: ANN401
) -> None:
    """Save a model as MLflow's folder, with its own file as the artifact.

    Parameters
    ----------
    model : fitted estimator of sklazy
    path : str or Path
        The folder, which must not exist or be empty.
    signature : mlflow.models.ModelSignature, optional
        By default the columns and labels of the model, and the parameters of
        `ServedModel.predict`.
    input_example : frame, optional
        By default a row of typical values. It is no row of the cases: MLflow keeps a
        copy, which would stay when rows are forgotten.
    **options
        Those of `mlflow.pyfunc.save_model`: `pip_requirements`, `metadata`, ...
    """
    with _as_file(model) as file:
        pyfunc.save_model(
            str(path), **_describe(model, file, signature, input_example, options)
        )


def log_model(
    model: LazyEstimator,
    name: str | None = None,
    *,
    signature: Any = None,  # noqa: ANN401
    input_example: object = None,
    **options: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Log a model to the run that is active, or to a new one.

    Parameters
    ----------
    model : fitted estimator of sklazy
    name : str, optional
        The name of the logged model.
    signature, input_example
        As for `save_model`.
    **options
        Those of `mlflow.pyfunc.log_model`: `registered_model_name`, ...

    Returns
    -------
    info : mlflow.models.model.ModelInfo
        With `model_uri`, for `load_model`.
    """
    with _as_file(model) as file:
        described = _describe(model, file, signature, input_example, options)
        return pyfunc.log_model(name=name, **described)


def load_model(model_uri: str, *, mmap_mode: Any = None) -> LazyEstimator:  # noqa: ANN401
    """Load the estimator itself, with all its methods.

    Parameters
    ----------
    model_uri : str
        A folder, or an address such as ``"models:/churn/3"``.
    mmap_mode : {None, "c"}
        As for `sklazy.load`.
    """
    folder = artifacts.download_artifacts(artifact_uri=model_uri)
    flavor = Model.load(os.path.join(folder, "MLmodel")).flavors.get(
        "python_function", {}
    )
    if flavor.get("loader_module") != _LOADER:
        raise BadInputError(
            f"{model_uri} was not saved by sklazy.mlflow; load it with "
            "mlflow.pyfunc.load_model."
        )
    return sklazy.load(
        _find_file(os.path.join(folder, flavor["data"])), mmap_mode=mmap_mode
    )


class ServedModel:
    """A model as MLflow calls it: one function, and parameters that choose the method.

    Parameters
    ----------
    model : fitted estimator of sklazy
    """

    def __init__(self, model: Any) -> None:  # noqa: ANN401
        self.model = model

    def predict(
        self, X: "pandas.DataFrame", params: dict[str, Any] | None = None
    ) -> Any:  # noqa: ANN401 - as MLflow takes it
        """Answer rows by the method that the parameters name.

        Parameters
        ----------
        X : pandas frame
        params : dict, optional
            "method": "predict", "predict_proba", "explain" (receipts as JSON),
            "predict_set", "predict_interval" (both with "coverage"),
            "predict_or_abstain" (with "accuracy"), "novelty", "similar" (with "k") or
            "digest". "reasons": whether receipts begin with what features add.
        """
        chosen = {**_PARAMS, **(params or {})}
        method = chosen["method"]
        if method not in _METHODS or not hasattr(self.model, method):
            able = [name for name in _METHODS if hasattr(self.model, name)]
            raise BadInputError(
                f"params method={method!r}; {type(self.model).__name__} has "
                f"{', '.join(able)}."
            )
        rows = X if hasattr(self.model, "feature_names_in_") else np.asarray(X)
        return _METHODS[method](self.model, rows, chosen)


def _load_pyfunc(path: str) -> ServedModel:
    """Load a model for MLflow, which finds this function by its name."""
    return ServedModel(sklazy.load(_find_file(path)))


def _find_file(path: str) -> str:
    return os.path.join(path, _FILE) if os.path.isdir(path) else path


class _as_file(tempfile.TemporaryDirectory):  # type: ignore[type-arg]  # noqa: N801
    """The file of a model, in a folder that goes afterwards."""

    def __init__(self, model: LazyEstimator) -> None:
        if not isinstance(model, LazyEstimator):
            raise BadTypeError(
                f"model={model!r} is no estimator of sklazy that keeps cases. Log it "
                "with mlflow.sklearn."
            )
        check_is_fitted(model)
        super().__init__()
        self._model = model

    def __enter__(self) -> str:
        path = os.path.join(super().__enter__(), _FILE)
        self._model.save(path)
        return path


def _describe(
    model: LazyEstimator,
    file: str,
    signature: Any,  # noqa: ANN401
    input_example: object,
    options: dict[str, Any],
) -> dict[str, Any]:
    """The arguments of MLflow for a model in a file."""
    environment = {"pip_requirements", "extra_pip_requirements", "conda_env"}
    if not environment & options.keys():
        options = {**options, "pip_requirements": [f"sklazy=={sklazy.__version__}"]}
    if input_example is None:
        input_example = _make_example(model)
    return {
        "loader_module": _LOADER,
        "data_path": file,
        "signature": signature or _infer_signature(model),
        "input_example": input_example,
        **options,
    }


# --- methods --------------------------------------------------------------------------

Chosen = dict[str, Any]


def _explain(model: Any, X: object, chosen: Chosen) -> list[Any]:  # noqa: ANN401
    receipts = model.explain(X, reasons=bool(chosen["reasons"]))
    return [receipt.to_dict() for receipt in receipts]


def _predict_set(model: Any, X: object, chosen: Chosen) -> list[Any]:  # noqa: ANN401
    sets = model.predict_set(X, coverage=chosen["coverage"], as_labels=True)
    return [list(labels) for labels in sets]


def _abstain(model: Any, X: object, chosen: Chosen) -> list[Any]:  # noqa: ANN401
    labels, is_sure = model.predict_or_abstain(X, accuracy=chosen["accuracy"])
    pairs = zip(labels.tolist(), is_sure, strict=True)
    return [label if sure else None for label, sure in pairs]


def _similar(model: Any, X: object, chosen: Chosen) -> Any:  # noqa: ANN401
    return model.similar(X, int(chosen["k"]))


_METHODS: dict[str, Callable[[Any, Any, Chosen], Any]] = {
    "predict": lambda model, X, _: model.predict(X),
    "predict_proba": lambda model, X, _: model.predict_proba(X),
    "explain": _explain,
    "predict_set": _predict_set,
    "predict_interval": lambda model, X, chosen: model.predict_interval(
        X, coverage=chosen["coverage"]
    ),
    "predict_or_abstain": _abstain,
    "novelty": lambda model, X, _: model.novelty(X),
    "similar": _similar,
    "digest": lambda model, X, _: [model.digest()],
}


# --- columns --------------------------------------------------------------------------


def _user_columns(model: LazyEstimator) -> Table:
    """The columns that queries have, without those that are set aside."""
    cases = model.cases_
    table = cases.schema.user_table(cases.coder.vocabularies)
    kept = [c for c in table if c.reading is None or c.reading.style != "aside"]
    return Table(tuple(kept), 0, table.named)


def _infer_signature(model: LazyEstimator) -> Any:  # noqa: ANN401
    table, several = _user_columns(model), _find_several_types(model)
    inputs = [
        ColSpec(_type_of(column, several), column.name if table.named else None)
        for column in table
    ]
    labels = model.cases_.class_labels
    output = ColSpec(_type_of_labels(labels) if labels else DataType.double)
    params = [ParamSpec(n, _TYPES[type(v)], v) for n, v in _PARAMS.items()]
    return ModelSignature(Schema(inputs), Schema([output]), ParamSchema(params))


_TYPED = (*CALENDAR, "time", "duration")
_TYPES = {
    str: DataType.string,
    bool: DataType.boolean,
    int: DataType.long,
    float: DataType.double,
}


def _find_several_types(model: LazyEstimator) -> set[str]:
    """Columns that come in several types: declared categories, and whole numbers.

    MLflow refuses integers for decimals, decimals for integers, categories for strings.
    """
    cases = model.cases_
    attributes = cases.schema.attributes
    whole = {
        attributes[j].name
        for number, j in enumerate(cases.coder.numeric)
        if all(_are_whole(part.rows.numbers[number]) for part in parts_of(cases))
    }
    return whole | {attribute.name for attribute in attributes if attribute.declared}


def _are_whole(numbers: Any) -> bool:  # noqa: ANN401
    return bool((np.isnan(numbers) | (numbers == np.floor(numbers))).all())


def _type_of(column: Column, several: Collection[str]) -> Any:  # noqa: ANN401
    """The type of a column's cells as they came: texts that became dates are texts.

    Any where a frame has a type for which MLflow has none.
    """
    reading = column.reading
    if reading is None and column.name in several:
        return AnyType()
    if reading is None:
        is_numeric = column.kind == "numeric"
        return DataType.double if is_numeric else _type_of_labels(column.categories)
    if reading.form or reading.style not in _TYPED:
        return DataType.string
    is_known = reading.style in CALENDAR and not reading.unit
    return DataType.datetime if is_known else AnyType()


def _type_of_labels(labels: Sequence[object]) -> Any:  # noqa: ANN401
    kinds = {type(label) for label in labels}
    known = _TYPES.get(kinds.pop()) if len(kinds) == 1 else None
    return AnyType() if known is None else known


def _make_example(model: LazyEstimator) -> "pandas.DataFrame":
    """A row of typical values: labels that are frequent, numbers in the middle."""
    import pandas  # noqa: PLC0415 (mlflow brings it)

    table, coder = _user_columns(model), model.cases_.coder
    by_name = {a.name: j for j, a in enumerate(model.cases_.schema.attributes)}
    edges = dict(zip(coder.numeric, model.cases_.ranges.edges, strict=True))
    cells: dict[Any, list[object]] = {}
    for position, column in enumerate(table):
        place = by_name.get(column.name, -1)
        cells[column.name if table.named else position] = [
            _typical(column, coder.vocabularies.get(place), edges.get(place))
        ]
    return pandas.DataFrame(cells)


def _typical(column: Column, vocabulary: Any, edges: Any) -> object:  # noqa: ANN401
    if column.reading is not None:
        return None
    if vocabulary is not None and len(vocabulary):
        return vocabulary.labels[int(np.argmax(vocabulary.counts))]
    if edges is None or not np.isfinite(edges).all():
        return np.nan
    return float(np.mean(edges))
