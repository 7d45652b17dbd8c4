"""Proves that two runs of one job hold the same rollouts, ids and logprobs.

    python same_ids.py RUN RUN [TOLERANCE]

Rows are matched by rollout, whatever their order in the files. The logprobs may
differ by TOLERANCE, 0 by default.
"""

import json
import pathlib
import sys

import pyarrow as pa


def rows(run):
    run = pathlib.Path(run)
    out = {}
    for shard in json.loads((run / "manifest.json").read_text())["shards"]:
        if "samples" not in shard["name"]:
            continue
        with pa.memory_map(str(run / shard["name"])) as source:
            for row in pa.ipc.open_stream(source).read_all().select(["rollout_id", "row", "token_ids", "logprobs"]).to_pylist():
                out[row["rollout_id"], row["row"]] = row["token_ids"], row["logprobs"]
    return out


first, second = rows(sys.argv[1]), rows(sys.argv[2])
tolerance = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
assert first, "no rows"
assert first.keys() == second.keys(), (len(first), len(second))
worst = 0.0
for key, (ids, logprobs) in first.items():
    assert ids == second[key][0], f"rollout {key[0]}, row {key[1]}: other ids"
    worst = max([worst, *(abs(a - b) for a, b in zip(logprobs, second[key][1], strict=True))])
assert worst <= tolerance, f"logprobs differ by {worst}"
print(f"{len(first)} rows, the same ids, logprobs differ by at most {worst:.2g}")
