"""Runs the Python of docs/trainers.md on a run and checks what comes out.

    python docs.py docs/trainers.md RUN FOLDED [FOLDED ...]

Among the FOLDED runs are accepted and rejected folds.
"""

import pathlib
import re
import sys

text, run = pathlib.Path(sys.argv[1]).read_text(), sys.argv[2]
space = {"run": run}
for block in re.findall(r"```python\n(.*?)```", text, re.S):
    exec(compile(block, sys.argv[1], "exec"), space)
rows = space["trainable"]
assert rows, "no trainable rows"
for r in rows:
    n = len(r["token_ids"]) - r["prompt_len"]
    assert n > 0 and sum(r["loss_mask"]) > 0
    assert [x == 1 for x in space["importance"](r)] == [True] * len(r["token_ids"]), "no proposal, no ratio"
    verl, trl, slime = space["verl"](r), space["trl"](r), space["slime"](r)
    assert len(verl["response_ids"]) == len(verl["response_mask"]) == len(verl["response_logprobs"]) == n
    assert verl["prompt_ids"] + verl["response_ids"] == r["token_ids"]
    assert len(trl["completion_ids"]) == len(trl["env_mask"]) == len(trl["logprobs"]) == n
    assert len(slime["loss_mask"]) == len(slime["rollout_log_probs"]) == slime["response_length"] == n
    prime = space["prime_rl"](r)
    assert len(prime["temperatures"]) == len(prime["mask"]) == len(prime["logprobs"]) == len(r["token_ids"])
    areal = space["areal"](r, {v: i for i, v in enumerate(sorted(set(r["span_version"]) - {""}))})
    assert [v >= 0 for v in areal["versions"]] == [m == 1 for m in r["sampled_mask"]]
    nemo = space["nemo_rl"](r)
    assert sum((p["token_ids"] for p in nemo["message_log"]), []) == r["token_ids"]
    tinker = space["tinker"](r)
    assert len({len(tinker["model_input"]), *(len(v) for v in tinker["loss_fn_inputs"].values())}) == 1
sky = space["skyrl"](rows)
assert len({len(v) for v in sky.values()}) == 1
told = [space["fold"](r) for folded in sys.argv[3:] for r in space["rows"](folded)]
assert None in told, "no task rows"
taken, refused = ([f for f in told if f and f["accepted"] == a] for a in (True, False))
assert taken and refused, (len(taken), len(refused))
assert all(f["replaced"] for f in taken) and not any(f["replaced"] for f in refused) and any(f["why_not"] for f in refused)
assert all(f["penalty"] <= 0 and f["version"] >= 0 for f in taken + refused)
print(f"docs: the lines for eight trainers hold on {len(rows)} rows, those for folds on {len(taken) + len(refused)}")
