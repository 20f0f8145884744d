"""An attribute that is useless on the whole can be decisive for one of its values.

The idea that opens the paper on lazy attribute selection (Pereira, Plastino, Zadrozny
et al. 2011), as a table of 120 patients: `fever` tells a little about everybody, `rash`
tells nothing about most, but a purple rash means illness B and nothing else.

    python examples/decisive_value.py [picture.png]
"""

import sys

import matplotlib
import numpy as np
import pandas as pd

import sklazy

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# (fever, rash, illness): how many patients
COUNTS = {
    ("high", "none", "A"): 36,
    ("high", "none", "B"): 12,
    ("high", "red", "A"): 10,
    ("high", "red", "B"): 4,
    ("low", "none", "A"): 10,
    ("low", "none", "B"): 30,
    ("low", "red", "A"): 4,
    ("low", "red", "B"): 8,
    ("high", "purple", "B"): 6,
}


def main(path):
    """Fit, ask for two patients with one attribute each, and draw why."""
    rows = [key for key, count in COUNTS.items() for _ in range(count)]
    patients = pd.DataFrame(rows, columns=["fever", "rash", "illness"])
    X, y = patients[["fever", "rash"]], patients["illness"]
    asked = pd.DataFrame({"fever": ["high", "high"], "rash": ["none", "purple"]})

    for selection in ("eager", "lazy"):
        model = sklazy.LazyNBClassifier(n_attributes=1, selection=selection).fit(X, y)
        used = model.select_attributes(asked)
        print(f"{selection} selection, one attribute:")
        for query, mask, answer in zip(
            asked.to_dict("records"), used, model.predict(asked), strict=True
        ):
            print(f"  {query}: looks at {X.columns[mask][0]}, answers {answer}")

    draw(patients, model.explain(asked[1:])[0].to_dict()["selection"], path)
    print(f"the picture: {path}")


def draw(patients, selection, path):
    """Shares of the illnesses by value, with the entropies that decide."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
    for axis, entry in zip(axes, selection["attributes"], strict=True):
        name = entry["name"]
        shares = pd.crosstab(patients[name], patients["illness"], normalize="index")
        bottom = np.zeros(len(shares))
        for illness, color in (("A", "#9bb7d4"), ("B", "#c44e52")):
            axis.bar(shares.index, shares[illness], 0.6, bottom, color=color)
            bottom += shares[illness].to_numpy()
        sizes = patients[name].value_counts()
        for place, (value, row) in enumerate(shares.iterrows()):
            known = row[row > 0]
            entropy = abs(float(-(known * np.log2(known)).sum()))
            note = f"{sizes[value]} rows\nentropy {entropy:.2f}"
            axis.text(place, 1.03, note, ha="center", fontsize=8)
        axis.set_title(
            f"{name}: {entry['attribute_score']:.2f} on the whole"
            + (", used for the purple rash" if entry["used"] else ""),
            y=1.16,
            fontsize=10,
        )
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("share of illness A (blue), B (red)")
    figure.tight_layout()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "decisive_value.png")
