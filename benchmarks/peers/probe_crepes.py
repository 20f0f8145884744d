"""crepes: conformal classifiers, regressors and predictive systems."""

import asking
import crepes
from crepes import WrapClassifier
from sklearn.ensemble import RandomForestClassifier

X, labels = asking.tied_table()
kind = WrapClassifier(RandomForestClassifier(50, oob_score=True, random_state=0))
kind.fit(X, labels)
kind.calibrate(X, labels, oob=True)
sets = kind.predict_set(X[:3])
asking.note("coverage", "calibration rows, or left-out trees of a forest", len(sets))
asking.note("mixed", "by the model", "takes any estimator")
for question in ("ties", "selects", "reasons", "add", "erase", "loo"):
    asking.note(question, "", "the model's")
asking.lacks("labels", crepes, ["label_issue", "audit", "doubt"])
asking.lacks("next", crepes, ["suggest", "acqui"])
asking.lacks("impute", crepes, ["impute"])
asking.lacks("values", crepes, ["shapley", "valuation"])
asking.finish()
