"""What votes come to, worked out by the field's own packages: arena-rank (Bradley-Terry with sandwich intervals), leaderbot
(Davidson), krippendorff (alpha). Run by hand when the fixture has to change; it is committed, so tests need no Python:

    python3 -m venv /tmp/ratings-venv
    /tmp/ratings-venv/bin/pip install arena-rank==0.1.1 leaderbot==0.4.3 krippendorff==0.9.0
    /tmp/ratings-venv/bin/python tests/parity/make_ratings.py

Both fits are run further than the packages do by themselves (which stop where leaderboards no longer change), so that
what is compared is the model and not where its search was broken off.
"""

import json
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
from arena_rank.models.bradley_terry import BradleyTerry
from arena_rank.utils.data_utils import PairDataset
from leaderbot.models import Davidson

OUT = Path(__file__).parent / "fixtures" / "ratings.json"

# Rows: first, second, votes for the first, for the second, for neither.
FIXED = {
    "two versions, few votes": [[0, 1, 3, 1, 1]],
    "two versions, many votes": [[0, 1, 120, 80, 40]],
    "three versions, each with each": [[0, 1, 14, 9, 5], [0, 2, 17, 6, 4], [1, 2, 11, 10, 8]],
    "a chain: each with the one before": [[0, 1, 8, 12, 3], [1, 2, 7, 13, 4], [2, 3, 11, 9, 6]],
    "both orders of a pair": [[0, 1, 10, 5, 2], [1, 0, 6, 9, 3], [1, 2, 9, 3, 1], [2, 0, 4, 8, 5]],
    "one far ahead": [[0, 1, 30, 1, 1], [0, 2, 29, 2, 2], [1, 2, 15, 14, 6]],
}


def generated(seed, versions, votes):
    """Votes of Davidson's model with strengths of its own."""
    rng = np.random.default_rng(seed)
    strengths = rng.normal(0, 0.8, versions)
    ties = rng.normal(-0.3, 0.4)
    rows = []
    for i in range(versions):
        for j in range(i + 1, versions):
            weights = np.exp([(strengths[i] - strengths[j]) / 2, (strengths[j] - strengths[i]) / 2, ties])
            counts = rng.multinomial(rng.integers(votes // 2, votes + 1), weights / weights.sum())
            rows.append([i, j, *map(int, counts)])
    return rows


def arena(rows):
    battles = [
        (f"v{i:02}", f"v{j:02}", winner)
        for i, j, *counts in rows
        for winner, count in zip(("model_a", "model_b", "tie"), counts)
        for _ in range(count)
    ]
    dataset = PairDataset.from_pandas(pd.DataFrame(battles, columns=["model_a", "model_b", "winner"]))
    model = BradleyTerry(len(dataset.competitors), ftol=0.0, gtol=1e-13, max_iter=2000)
    found = model.compute_ratings_and_cis(dataset)
    return {name: np.asarray(found[name]).tolist() for name in ("ratings", "rating_lower", "rating_upper")} | {
        "hessian_reg": model.hessian_reg,
        "init_rating": model.init_rating,
    }


def davidson(rows, versions):
    table = {
        "X": [row[:2] for row in rows],
        "Y": [row[2:] for row in rows],
        "models": [f"v{i:02}" for i in range(versions)],
    }
    model = Davidson(table, k_cov=None, k_tie=0)
    model.train(tol=1e-12)
    return {"strengths": model.param[:versions].tolist(), "log_nu": float(model.param[-1])}


def agreement(seed, raters, units, values, missing):
    """Raters who agree most of the time; nan: not judged."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(values), units)
    said = np.where(rng.random((raters, units)) < 0.7, truth, rng.integers(0, len(values), (raters, units)))
    table = np.asarray(values, dtype=float)[said]
    table[rng.random((raters, units)) < missing] = np.nan
    return table


def alpha(table):
    levels = ("nominal", "ordinal", "interval")
    return {
        "units": [[value for value in column if not np.isnan(value)] for column in table.T.tolist()],
        "alpha": {level: krippendorff.alpha(reliability_data=table, level_of_measurement=level) for level in levels},
    }


tables = FIXED | {f"generated {seed}": generated(seed, k, n) for seed, k, n in [(1, 3, 40), (2, 5, 60), (3, 8, 120), (4, 6, 20)]}
nan = float("nan")
# The example of Krippendorff's "Computing Krippendorff's alpha-reliability" (2011), section C.
example = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
        [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ]
)
judged = {"the author's example": example} | {
    f"generated {seed}": agreement(seed, raters, units, values, missing)
    for seed, raters, units, values, missing in [
        (1, 2, 30, [0, 0.5, 1], 0.0),
        (2, 4, 60, [0, 0.5, 1], 0.5),
        (3, 3, 25, [1, 2, 5, 9], 0.3),
    ]
}
facts = {
    "tables": [
        {"name": name, "rows": rows, "arena": arena(rows), "davidson": davidson(rows, 1 + max(max(r[:2]) for r in rows))}
        for name, rows in tables.items()
    ],
    "alphas": [{"name": name, **alpha(table)} for name, table in judged.items()],
}
OUT.write_text(json.dumps(facts, indent=1) + "\n")
print(f"{OUT}: {OUT.stat().st_size} bytes")
