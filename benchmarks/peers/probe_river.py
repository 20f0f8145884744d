"""river: k-NN on streams."""

import asking
from river import anomaly, neighbors, preprocessing

frame, y = asking.mixed_table()
X, labels = asking.tied_table()


def learn(rows, targets):
    """Fit by one row after the other."""
    model = neighbors.KNNClassifier(n_neighbors=5)
    for row, label in zip(rows, targets, strict=True):
        model.learn_one(row, label)
    return model


rows = frame.astype(object).to_dict("records")
reason = asking.refuses(lambda: learn(rows, y).predict_one(rows[3]))
asking.note("mixed", "no" if reason else "yes", reason or "labels learned")
numbers = [dict(enumerate(row)) for row in X]
model = learn(numbers, labels)
back = learn(numbers[::-1], labels[::-1])
moved = sum(model.predict_one(row) != back.predict_one(row) for row in numbers)
asking.note("ties", "no" if moved else "yes", f"{moved} of 200 labels change")
asking.note("add", "yes, `learn_one`", model.predict_one(numbers[0]))
asking.lacks("erase", neighbors, ["forget", "unlearn", "remove"])
if asking.CELLS["erase"]["answer"] == "no":
    asking.CELLS["erase"]["answer"] = "no; the oldest leave the window"
asking.lacks("selects", neighbors, ["select"])
asking.lacks("loo", neighbors, ["leave_one", "loo"])
asking.lacks("reasons", neighbors, ["explain", "contribution", "reason"])
asking.lacks("coverage", neighbors, ["coverage", "conformal", "interval"])
asking.lacks("labels", anomaly, ["label_issue", "audit", "doubt"])
asking.lacks("next", neighbors, ["suggest", "acqui"])
asking.note("impute", "mean, mode, last value", preprocessing.StatImputer.__name__)
asking.lacks("values", neighbors, ["shapley", "valuation"])
asking.finish()
