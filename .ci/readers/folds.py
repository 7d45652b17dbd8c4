"""Reads the folds of runs back with pyarrow and proves that they are told as they were.

    python folds.py RUN [RUN ...]

Of every rollout the rows are followed in order: what is a fold, which context
version it was made in, which messages it replaced, whether it was accepted. Exit
code 1 when something does not fit, or when a run holds no fold.

It holds for runs whose conversation is rewritten by folds alone, with notes of
one message, in worlds that answer each call once and other replies once.
"""

import collections
import json
import pathlib
import sys

import pyarrow as pa

NOTES = 1
"""How many messages stand for what a fold replaced."""


class Wrong(Exception):
    """A row that does not fit; its text says where and why."""


def rows(run):
    for shard in json.loads((run / "manifest.json").read_text())["shards"]:
        if "/samples-" in shard["name"]:
            with pa.memory_map(str(run / shard["name"])) as source:
                for row in pa.ipc.open_stream(source).read_all().to_pylist():
                    yield row | {"info": json.loads(row["info"])}


def claim(row, holds, text):
    if not holds:
        raise Wrong(f"rollout {row['rollout_id']}, row {row['row']}: {text}")


def is_fold(row):
    """By the tag of its spans; kind must say the same, unless the row is a probe."""
    tags = set(row["span_tag"])
    claim(row, tags in ({"task"}, {"fold"}), f"its spans are tagged {sorted(tags)}")
    fold = tags == {"fold"}
    claim(row, row["kind"] == "value-probe" or (row["kind"] == "fold") == fold, f"its kind is {row['kind']}, its tag {tags.pop()}")
    return fold


def check_turns(row, fold):
    for i, t in enumerate(row["info"]["turns"]):
        claim(row, ("fold" in t) == fold, f"turn {i}: what became of a fold must be told on the turns of folds, and only there")
        claim(row, all(row["sampled_mask"][t["at"] : t["at"] + t["n"]]), f"turn {i}: not all of its tokens are sampled")
        moved = [k for k in ("action", "tool_calls", "reward", "outcome", "failure") if k in t]
        claim(row, not fold or not moved, f"turn {i}: a fold moves no world, and here is its {moved}")
        claim(row, t.get("fold", {}).get("penalty", 0) <= 0, f"turn {i}: a penalty above 0")


def check_loss(row, owned):
    """Each turn of a fold trains, in one row, whole."""
    for i, t in enumerate(row["info"]["turns"]):
        loss, turn = row["loss_mask"][t["at"] : t["at"] + t["n"]], (row["tree_id"], t["node"], t["turn"])
        want = int(bool(row["valid"]) and turn not in owned)
        if want:
            owned.add(turn)
        claim(row, loss == [want] * t["n"], f"turn {i}: its {t['n']} sampled tokens should all have loss {want}, and {sum(loss)} have 1")


def check_fold(row, before, last):
    """What became of the fold; before is the number of messages it found."""
    told = [(t["fold"]["accepted"], t["fold"].get("replaced")) for t in row["info"]["turns"]]
    claim(row, told.count(told[0]) == len(told), f"its turns do not agree on what became of it: {told}")
    accepted, replaced = told[0]
    claim(row, accepted == (replaced is not None), f"accepted {accepted}, replaced {replaced}")
    if not accepted:
        claim(row, last and row["stop_reason"] == "fold_failed", "it was rejected, and the rollout goes on")
        return accepted, before
    start, end = replaced
    claim(row, 0 < start < end <= before, f"it replaced messages [{start}, {end}) of {before}")
    return accepted, start + NOTES + before - end


def said(row):
    """How many messages the turns of a task row added, without and with what the
    world said to the last of them."""
    spoken = [len(t.get("attempts", ())) if t.get("action") == "tool_calls" else 1 for t in row["info"]["turns"]]
    return len(spoken) + sum(spoken[:-1]), len(spoken) + sum(spoken)


def seed_len(rollout):
    """How many messages a rollout begins with: no fold replaces those."""
    starts = {t["fold"]["replaced"][0] for r in rollout for t in r["info"]["turns"] if t.get("fold", {}).get("replaced")}
    claim(rollout[0], len(starts) < 2, f"its folds begin at {starts}")
    return starts.pop() if starts else None


def check_rollout(rollout, owned, count):
    claim(rollout[0], [r["row"] for r in rollout] == list(range(len(rollout))), "the rollout's rows are not 0, 1, 2, …")
    version, messages = 0, seed_len(rollout)
    for row in rollout:
        last = row is rollout[-1]
        claim(row, bool(row["is_last_row"]) == last, f"is_last_row is {row['is_last_row']}")
        fold = is_fold(row)
        claim(row, set(row["span_context_version"]) == {version}, f"context versions {row['span_context_version']} after {version} accepted folds")
        check_turns(row, fold)
        check_loss(row, owned)
        if not fold:
            shown, known = said(row), messages is not None
            if known and row["messages"] is not None:
                # A final-answer turn is asked for, which is one message more.
                has, made = len(json.loads(row["messages"])), messages + shown[0]
                claim(row, has in (made, made + last), f"it has {has} messages, its turns make {made}")
            messages = messages + shown[1] if known else None
            continue
        accepted, messages = check_fold(row, messages, last)
        version += accepted
        count["accepted" if accepted else "rejected"] += 1
        count["turns"] += len(row["info"]["turns"])


def check(run):
    rollouts, owned, count = collections.defaultdict(list), set(), collections.Counter()
    for row in rows(run):
        rollouts[row["rollout_id"]].append(row)
    for rollout in rollouts.values():
        check_rollout(sorted(rollout, key=lambda r: r["row"]), owned, count)
    if not count["turns"]:
        raise Wrong("no fold rows")
    return f"{count['accepted']} accepted and {count['rejected']} rejected folds of {count['turns']} turns in {len(rollouts)} rollouts"


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    for run in sys.argv[1:]:
        try:
            print(f"{run}: {check(pathlib.Path(run))}")
        except Wrong as wrong:
            raise SystemExit(f"{run}: {wrong}")


if __name__ == "__main__":
    main()
