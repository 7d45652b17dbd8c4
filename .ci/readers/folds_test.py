"""Proves that folds.py finds what is wrong: each damage, in a copy of a run, alone.

    python folds_test.py RUN [RUN ...]

The runs pass folds.py. Among them are accepted folds with a row after them, and rejected ones.
"""

import json
import pathlib
import shutil
import sys
import tempfile

import folds
import pyarrow as pa


def with_turns(change):
    """A damage to what the info column says of each turn."""

    def damage(row):
        for t in row["info"]["turns"]:
            change(t)

    return damage


def with_fold(**said):
    return with_turns(lambda t: t["fold"].update(said))


def column(name, value):
    return lambda row: row.update({name: value(row)})


def without_loss(row):
    t = row["info"]["turns"][-1]
    row["loss_mask"][t["at"] + t["n"] - 1] = 0


def disagreeing(row):
    row["info"]["turns"].append(row["info"]["turns"][-1] | {"fold": {"accepted": False}, "n": 0})


def accepted(row):
    return row["kind"] == "fold" and row["info"]["turns"][0]["fold"]["accepted"]


def rejected(row):
    return row["kind"] == "fold" and not row["info"]["turns"][0]["fold"]["accepted"]


def task(row):
    return row["kind"] == "task"


DAMAGES = [
    # which row, what is done to it, what folds.py says
    ("kind", accepted, column("kind", lambda r: "task"), "its kind is task, its tag fold"),
    ("tag", accepted, column("span_tag", lambda r: ["task"] * len(r["span_tag"])), "its kind is fold, its tag task"),
    ("two tags", accepted, column("span_tag", lambda r: ["task"] + r["span_tag"][1:]), "its spans are tagged"),
    ("version of a fold", accepted, column("span_context_version", lambda r: [v + 1 for v in r["span_context_version"]]), "context versions"),
    ("version after a fold", lambda r: task(r) and r["row"] > 0, column("span_context_version", lambda r: [0] * len(r["span_context_version"])), "context versions"),
    ("rejected and gone on", accepted, with_turns(lambda t: t.update(fold={"accepted": False})), "it was rejected, and the rollout goes on"),
    ("rejected without an end", rejected, column("stop_reason", lambda r: "answered"), "it was rejected, and the rollout goes on"),
    ("accepted without a range", rejected, with_fold(accepted=True), "accepted True, replaced None"),
    ("rejected with a range", rejected, with_fold(replaced=[2, 4]), "accepted False, replaced [2, 4]"),
    ("range before the task", accepted, with_fold(replaced=[0, 4]), "messages, its turns make"),
    ("range beyond the end", accepted, with_fold(replaced=[2, 99]), "it replaced messages [2, 99)"),
    ("empty range", accepted, with_fold(replaced=[2, 2]), "it replaced messages [2, 2)"),
    ("turns that do not agree", accepted, disagreeing, "its turns do not agree"),
    ("a transition", accepted, with_turns(lambda t: t.update(action="text")), "a fold moves no world, and here is its ['action']"),
    ("a reward", accepted, with_turns(lambda t: t.update(reward=1.0)), "a fold moves no world, and here is its ['reward']"),
    ("a penalty that pays", accepted, with_fold(penalty=0.1), "a penalty above 0"),
    ("no word of the fold", accepted, with_turns(lambda t: t.pop("fold")), "only there"),
    ("a fold that was none", task, with_turns(lambda t: t.update(fold={"accepted": True, "replaced": [2, 4]})), "only there"),
    ("a token without loss", accepted, without_loss, "should all have loss 1"),
    ("loss where it is invalid", accepted, column("valid", lambda r: 0), "should all have loss 0"),
    ("not sampled", accepted, column("sampled_mask", lambda r: [0] * len(r["sampled_mask"])), "not all of its tokens are sampled"),
    ("no last row", rejected, column("is_last_row", lambda r: 0), "is_last_row is 0"),
    ("another row", accepted, column("row", lambda r: 9), "the rollout's rows are not"),
    ("a message too few", lambda r: task(r) and r["row"] > 0 and r["messages"], column("messages", lambda r: json.dumps(json.loads(r["messages"])[1:])), "messages, its turns make"),
]


def doctored(run, into, edit):
    """A copy of a run whose rows went through edit, which returns those to keep."""
    shutil.copytree(run, into)
    for shard in json.loads((into / "manifest.json").read_text())["shards"]:
        if "/samples-" not in shard["name"]:
            continue
        path = into / shard["name"]
        with pa.memory_map(str(path)) as source:
            table = pa.ipc.open_stream(source).read_all()
        kept = edit([r | {"info": json.loads(r["info"])} for r in table.to_pylist()])
        path.unlink()
        with pa.ipc.new_stream(path, table.schema) as out:
            out.write_table(pa.Table.from_pylist([r | {"info": json.dumps(r["info"])} for r in kept], schema=table.schema))
    return into


def first(which, damage):
    """An edit that damages the first row that fits."""
    done = []

    def edit(rows):
        for row in rows:
            if not done and which(row):
                done.append(damage(row))
        return rows

    edit.done = done
    return edit


def expect(name, run, said):
    try:
        folds.check(run)
    except folds.Wrong as wrong:
        assert said in str(wrong), f"{name}: want {said!r}, got {wrong}"
    else:
        raise AssertionError(f"{name}: not found")


def damaged(runs, into, which, damage):
    """A damaged copy of the first run that has a row which fits; None if none has."""
    for run in runs:
        edit = first(which, damage)
        copy = doctored(run, into, edit)
        if edit.done:
            return copy
        shutil.rmtree(copy)


def main():
    runs = [pathlib.Path(run) for run in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as temp:
        temp = pathlib.Path(temp)
        for i, run in enumerate(runs):
            folds.check(doctored(run, temp / f"same{i}", lambda rows: rows))
        expect("no folds", doctored(runs[0], temp / "none", lambda rows: [r for r in rows if r["row"] == 0]), "is_last_row")
        alone = lambda rows: [r | {"is_last_row": 1} for r in rows if r["row"] == 0 and task(r)]
        expect("no folds at all", doctored(runs[0], temp / "alone", alone), "no fold rows")
        for i, (name, which, damage, said) in enumerate(DAMAGES):
            copy = damaged(runs, temp / str(i), which, damage)
            assert copy, f"{name}: no run has a row to do it to"
            expect(name, copy, said)
    print(f"folds.py finds {len(DAMAGES) + 2} damages")


if __name__ == "__main__":
    main()
