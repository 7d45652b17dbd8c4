"""Reads a run's shards with three libraries and proves that all see the same.

    focus verify RUN --json | python read.py RUN -
    python read.py RUN verify.json

Every shard that manifest.json lists is read by pyarrow, by
datasets.Dataset.from_file and by polars. Of each, the rows and the SHA-256 of
all token ids of samples (rows in file order, little-endian int32, nothing
between) must be equal, and equal to what focus says. Exit code 1 if not.
"""

import hashlib
import json
import pathlib
import sys

import datasets
import numpy as np
import polars as pl
import pyarrow as pa


def with_pyarrow(path, column):
    with pa.memory_map(str(path)) as source:
        table = pa.ipc.open_stream(source).read_all()
        table.validate(full=True)
        return table.num_rows, (np.asarray(c.flatten()) for c in table[column].chunks)


def with_datasets(path, column):
    rows = datasets.Dataset.from_file(str(path))
    return rows.num_rows, (np.asarray(ids, dtype=np.int32) for ids in rows[column])


def with_polars(path, column):
    frame = pl.read_ipc_stream(path)
    lists = frame[column].filter(frame[column].list.len() > 0)
    return frame.height, [lists.explode().to_numpy()]


READERS = {"pyarrow": with_pyarrow, "datasets": with_datasets, "polars": with_polars}
IDS = {"samples": "token_ids", "nodes": "ids"}


def table_of(shard):
    return pathlib.PurePosixPath(shard["name"]).name.split("-")[0]


def read(run, shards, reader):
    """Rows per table, and the hash of the ids of each."""
    rows = {table: 0 for table in IDS}
    sums = {table: hashlib.sha256() for table in IDS}
    for shard in shards:
        table = table_of(shard)
        count, parts = reader(run / shard["name"], IDS[table])
        if count != shard["rows"]:
            raise SystemExit(f"{shard['name']}: {count} rows, the manifest says {shard['rows']}")
        rows[table] += count
        for ids in parts:
            if ids.dtype != np.int32:
                raise SystemExit(f"{shard['name']}: ids are {ids.dtype}, want int32")
            sums[table].update(ids.astype("<i4").tobytes())
    return rows, {table: s.hexdigest() for table, s in sums.items()}


def check_hashes(run, shards):
    for shard in shards:
        data = (run / shard["name"]).read_bytes()
        if hashlib.sha256(data).hexdigest() != shard["sha256"]:
            raise SystemExit(f"{shard['name']}: its SHA-256 is not the manifest's")


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    run = pathlib.Path(sys.argv[1])
    text = sys.stdin.read() if sys.argv[2] == "-" else pathlib.Path(sys.argv[2]).read_text()
    said = json.loads(text)
    shards = json.loads((run / "manifest.json").read_text())["shards"]
    check_hashes(run, shards)
    want = {"samples": said["samples"], "nodes": said["nodes"]}
    nodes_sum = None
    for name, reader in READERS.items():
        rows, sums = read(run, shards, reader)
        print(f"{name:9} samples {rows['samples']}  nodes {rows['nodes']}  ids {sums['samples']}")
        nodes_sum = nodes_sum or sums["nodes"]
        if rows != want or sums["samples"] != said["ids_sha256"] or sums["nodes"] != nodes_sum:
            raise SystemExit(f"{name} reads {rows} and {sums}; focus says {want}, ids {said['ids_sha256']}")
    print(f"focus     samples {want['samples']}  nodes {want['nodes']}  ids {said['ids_sha256']}")
    print("all readers agree")


if __name__ == "__main__":
    main()
