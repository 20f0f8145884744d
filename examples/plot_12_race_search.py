"""
Tune with a race
================

`RaceSearchCV` takes the place of `GridSearchCV`. Candidates are compared fold by fold,
and those that are significantly worse are dropped. Here it tunes a support vector
machine of scikit-learn on the breast cancer data.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklazy import RaceSearchCV

X, y = load_breast_cancer(return_X_y=True)
model = make_pipeline(StandardScaler(), SVC())
grid = {"svc__C": [0.01, 0.1, 1, 10, 100], "svc__gamma": [1e-4, 1e-3, 1e-2, 0.1, 1]}
raced = RaceSearchCV(model, grid, cv=10, random_state=0).fit(X, y)
whole = GridSearchCV(model, grid, cv=10).fit(X, y)

# %%
n_fits = int(raced.cv_results_["n_splits_run"].sum())
print(f"race: {raced.best_params_}, {raced.best_score_:.4f}, {n_fits} fits")
print(f"grid: {whole.best_params_}, {whole.best_score_:.4f}, {25 * 10} fits")

# %%
# Both find the same winner. How many folds each candidate was given:
figure, axes = plt.subplots(figsize=(5, 3.6), layout="constrained")
folds = raced.cv_results_["n_splits_run"].reshape(5, 5)
picture = axes.imshow(folds, cmap="viridis", vmin=0)
axes.set_xticks(range(5), grid["svc__gamma"])
axes.set_yticks(range(5), grid["svc__C"])
axes.set(xlabel="gamma", ylabel="C")
figure.colorbar(picture, label="folds before it was dropped")

# %%
# Most candidates were dropped after three folds; only the few good ones ran all ten.
