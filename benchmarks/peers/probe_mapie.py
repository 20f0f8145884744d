"""MAPIE: sets and intervals around any model."""

import asking
import mapie
from mapie.regression import (
    CrossConformalRegressor,
    JackknifeAfterBootstrapRegressor,  # noqa: F401
)
from sklearn.linear_model import Ridge

X, labels = asking.tied_table()
kind = CrossConformalRegressor(Ridge(), confidence_level=0.9, method="plus", cv=5)
kind.fit_conformalize(X, X[:, 0] + labels)
_, ends = kind.predict_interval(X[:3])
asking.note("coverage", "split, cross, jackknife+ (by fits)", ends.shape)
asking.note("mixed", "by the model", "takes any estimator")
asking.note("loo", "by fits", "`cv=-1` fits once a row")
for question in ("ties", "selects", "reasons", "add", "erase"):
    asking.note(question, "", "the model's")
asking.lacks("labels", mapie, ["label_issue", "audit", "doubt"])
asking.lacks("next", mapie, ["suggest", "acqui"])
asking.lacks("impute", mapie, ["impute"])
asking.lacks("values", mapie, ["shapley", "valuation"])
asking.finish()
