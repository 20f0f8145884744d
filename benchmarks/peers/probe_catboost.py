"""CatBoost, with SHAP for its reasons."""

import asking
import catboost
import numpy as np
import shap
from catboost import CatBoostClassifier, Pool

frame, y = asking.mixed_table()
X, labels = asking.tied_table()
quiet = {"iterations": 30, "verbose": False, "allow_writing_files": False}
bare = asking.refuses(lambda: CatBoostClassifier(**quiet).fit(frame, y))
declared = asking.refuses(lambda: Pool(frame, y, cat_features=["town"]))
asking.note("mixed", "no" if bare and declared else "declared", declared or bare)
asking.note("ties", "", "no distances")
model = CatBoostClassifier(**quiet, random_state=0).fit(X, labels)
values = shap.TreeExplainer(model).shap_values(X[:1])
rows, _ = model.get_object_importance(Pool(X[:1], labels[:1]), Pool(X, labels))
asking.note("reasons", "features by SHAP; rows by `get_object_importance`", values)
asking.note("values", "`get_object_importance`, for given queries", rows[:3])
more = CatBoostClassifier(**quiet).fit(X, labels, init_model=model)
whole = CatBoostClassifier(**quiet, random_state=0).fit(X, labels)
same = np.allclose(more.predict_proba(X), whole.predict_proba(X))
asking.note("add", "more trees, not equal to a fit", f"`init_model`, equal: {same}")
asking.lacks("erase", catboost, ["forget", "unlearn", "remove_row", "delete_row"])
asking.lacks("selects", catboost, ["per_query", "lazy"])
asking.lacks("loo", catboost, ["leave_one", "loo_"])
asking.lacks("coverage", catboost, ["coverage", "conformal", "predict_set"])
asking.lacks("labels", catboost, ["label_issue", "audit", "doubt"])
asking.lacks("next", catboost, ["suggest", "acqui"])
asking.lacks("impute", catboost, ["impute"])
asking.finish()
