"""Workers of Spark and Ray open a model's files mapped, as docs/scale.md shows."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

import sklazy

pytestmark = [
    pytest.mark.timeout(1800),  # they start slowly
    # They warn of themselves, and of pandas' next version.
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning"),
]

FEATURES = ["size", "heat", "year"]


@pytest.fixture
def cases(tmp_path):
    """The folder of a model, queries, and the answers of one process."""
    random = np.random.default_rng(0)
    rows = pd.DataFrame(
        {
            "size": random.normal(60, 15, 200),
            "heat": random.choice(["gas", "oil"], 200),
            "year": random.integers(1950, 2024, 200),
        }
    )
    model = sklazy.LazyKNeighborsClassifier(5, n_attributes=2)
    model.fit(rows, np.where(rows["size"] > 60, "high", "low"))
    model.save(tmp_path / "cases", n_parts=2)
    queries = rows.sample(40, random_state=1, ignore_index=True)
    return str(tmp_path / "cases"), queries, model.predict(queries).tolist()


def test_a_pandas_udf_of_spark_answers(cases, monkeypatch):
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    import sys

    from pyspark.sql import SparkSession
    from pyspark.sql.functions import pandas_udf, struct

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    path, queries, expected = cases

    def predict(batches: Iterator[pd.DataFrame]) -> Iterator[pd.Series]:
        model = sklazy.load(path, mmap_mode="c")
        for rows in batches:
            yield pd.Series(model.predict(rows))

    session = SparkSession.builder.master("local[2]")
    spark = session.config("spark.ui.enabled", "false").getOrCreate()
    try:
        frame = spark.createDataFrame(queries)
        answer = pandas_udf(predict, "string")(struct(*FEATURES))
        answers = frame.withColumn("prediction", answer).toPandas()
    finally:
        spark.stop()
    assert answers["prediction"].tolist() == expected


def test_tasks_and_batches_of_ray_answer(cases, tmp_path):
    ray = pytest.importorskip("ray", reason="ray is not installed")
    path, queries, expected = cases

    class Predictor:
        def __init__(self):
            self.model = sklazy.load(path, mmap_mode="c")

        def __call__(self, rows):
            rows["prediction"] = self.model.predict(rows[FEATURES])
            return rows

    ray.init(num_cpus=2, include_dashboard=False)
    try:
        task = ray.remote(lambda rows: Predictor()(rows)["prediction"].tolist())
        assert ray.get(task.remote(queries)) == expected
        queries.to_parquet(tmp_path / "queries.parquet")
        rows = ray.data.read_parquet(str(tmp_path / "queries.parquet"))
        answers = rows.map_batches(Predictor, concurrency=1, batch_format="pandas")
        assert answers.to_pandas()["prediction"].tolist() == expected
    finally:
        ray.shutdown()
