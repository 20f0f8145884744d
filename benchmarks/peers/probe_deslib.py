"""DESlib: ensembles whose members are chosen for each query."""

import asking
import deslib
from deslib.des.knora_e import KNORAE
from sklearn.ensemble import BaggingClassifier

frame, y = asking.mixed_table()
X, labels = asking.tied_table()


def fit(rows, targets):
    """Fit the members on all rows, and the selection on the rows given."""
    members = BaggingClassifier(random_state=0, n_estimators=10).fit(X, labels)
    return KNORAE(members).fit(rows, targets)


reason = asking.refuses(lambda: KNORAE().fit(frame, y))
asking.note("mixed", "no" if reason else "yes", reason)
moved = asking.count_moved(fit, X, labels)
asking.note("ties", "no" if moved else "yes", f"{moved} of 200 labels change")
asking.note("selects", "members, no features", fit(X, labels).predict(X[:3]))
asking.lacks("reasons", deslib, ["explain", "contribution", "reason"])
asking.lacks("loo", deslib, ["leave_one", "loo_"])
asking.lacks("add", deslib, ["partial_fit", "add_row"])
asking.lacks("erase", deslib, ["forget", "unlearn", "remove_row"])
asking.lacks("coverage", deslib, ["coverage", "conformal", "interval"])
asking.lacks("labels", deslib, ["label_issue", "audit", "doubt"])
asking.lacks("next", deslib, ["suggest", "acqui"])
asking.lacks("impute", deslib, ["impute"])
asking.lacks("values", deslib, ["shapley", "valuation"])
asking.finish()
