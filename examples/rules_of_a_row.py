"""Rules that are made for one row: of naive Bayes, and of its own values.

What the color of a mushroom says depends on where it grows. Naive Bayes takes the two
for independent, and knows nothing. A lazy Bayesian rule restricts it to the cases that
share one of them, among which the other decides; lazy associative classification lists
which values of the row go with which class.

    python examples/rules_of_a_row.py
"""

import numpy as np
import pandas as pd

import sklazy


def main():
    """Fit three models, compare them, and let two explain the same row."""
    rng = np.random.default_rng(0)
    n = 600
    X = pd.DataFrame(
        {
            "place": rng.choice(["meadow", "wood"], n),
            "color": rng.choice(["white", "brown"], n),
            "smell": rng.choice(["none", "nuts", "musty"], n),
        }
    )
    edible = (X["color"] == "white") == (X["place"] == "meadow")
    edible &= X["smell"] != "musty"
    y = np.where(edible ^ (rng.random(n) < 0.05), "edible", "poisonous")

    models = {
        "naive Bayes": sklazy.LazyNBClassifier(selection="none"),
        "lazy Bayesian rules": sklazy.LazyBayesRulesClassifier(),
        "lazy association rules": sklazy.LazyAssociativeClassifier(),
    }
    for name, model in models.items():
        right = model.fit(X[:400], y[:400]).score(X[400:], y[400:])
        print(f"{name}: {100 * right:.0f} % right")

    asked = pd.DataFrame({"place": ["wood"], "color": ["white"], "smell": ["nuts"]})
    for name in ("lazy Bayesian rules", "lazy association rules"):
        print(f"\n{name}, for {asked.to_dict('records')[0]}:\n")
        print(models[name].explain(asked)[0].to_text().split("The row in")[0].strip())


if __name__ == "__main__":
    main()
