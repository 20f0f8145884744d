"""The first hour: from a file to answers with receipts, step by step.

Run: python examples/first_hour.py
"""

import importlib.resources
import tempfile
from pathlib import Path

import sklazy

FLATS = importlib.resources.files("sklazy") / "examples"


def main() -> None:
    """Go through it."""
    # A file as it is: labels, numbers, missing cells; no encoder, no scaler.
    flats = sklazy.read_table(FLATS / "flats.csv", kinds={"flat": "nominal"})
    new = sklazy.read_table(FLATS / "new-flats.csv", kinds={"flat": "nominal"})
    names = [name for name in flats.names if name not in ("flat", "rent")]
    X = flats.to_pandas().set_index("flat")[names]
    y = flats.to_pandas().set_index("flat")["rent"]
    queries = new.to_pandas().set_index("flat")[names]

    print("--- Which method? Measured on these rows.")
    print(sklazy.advise(X, y, n_folds=3, max_seconds=10).verdict)

    print("\n--- The rents of new flats")
    model = sklazy.LazyKernelRegressor().fit(X, y)
    for flat, rent in zip(queries.index[:3], model.predict(queries)[:3], strict=True):
        print(f"{flat}: {rent:.0f}")

    print("\n--- Flats like N01, under their own names")
    print(model.similar(queries.loc[["N01"]], k=3)[["distance", "area", "rent"]])

    print("\n--- A palace: the model answers, and says that it should not be trusted")
    palace = queries.loc[["N01"]].assign(area=900.0, rooms=40.0)
    print(f"novelty {model.novelty(palace)[0]:.2f}")
    receipt = model.explain(palace)[0]
    print(next(line for line in str(receipt).split("\n") if "unlike all cases" in line))

    print("\n--- One flat leaves, and with it all that it helped to find")
    before = model.digest()
    model.forget(["F001"])
    print(f"digest {before[:8]} is now {model.digest()[:8]}")

    print("\n--- Files hold data only, and receipts can be checked by whoever has one")
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "rent.sklazy")
        again = sklazy.load(Path(folder) / "rent.sklazy", sklazy.LazyKernelRegressor)
    print(f"verified: {again.verify(model.explain(queries.head(1))[0])}")


if __name__ == "__main__":
    main()
