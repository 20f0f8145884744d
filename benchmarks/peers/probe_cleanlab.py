"""cleanlab: scores of labels, whatever the model."""

import asking
import cleanlab
import numpy as np
from cleanlab import Datalab
from cleanlab.filter import find_label_issues

frame, y = asking.mixed_table()
X, labels = asking.tied_table()
chances = np.random.default_rng(0).dirichlet([1, 1], len(labels))
found = find_label_issues(labels, chances)
asking.note("labels", "yes, from left-out probabilities", f"{found.sum()} found")
asking.note("mixed", "by the model", "takes probabilities or numbers")
lab = Datalab({"X": X, "y": labels}, label_name="y", verbosity=0)
lab.find_issues(features=X, issue_types={"data_valuation": {}})
worth = lab.get_issues("data_valuation")
asking.note("values", "k-NN Shapley, `Datalab`", f"columns {list(worth.columns)}")
asking.note("ties", "", "no neighbors of its own")
asking.note("selects", "", "no predictions of its own")
asking.note("reasons", "a score for each row", "of labels, not of predictions")
asking.note("loo", "needs cross-validation", "`cross_val_predict` before")
for question in ("add", "erase"):
    asking.note(question, "", "keeps no model of rows")
asking.lacks("coverage", cleanlab, ["coverage", "conformal", "predict_set"])
asking.lacks("next", cleanlab, ["suggest_attribute", "acquisition"])
asking.lacks("impute", cleanlab, ["impute"])
asking.finish()
