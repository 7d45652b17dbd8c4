"""Reads `go test -json` and prints what failed, then how many tests ran.

    go test -json ./... | python3 .ci/count.py NAME [--no-skip PATTERN]

The whole log goes to NAME.jsonl in $FOCUS_CI_LOGS. Exit code 1 when a test or a
package failed, or when a test whose name contains PATTERN was skipped.
"""

import collections
import json
import os
import pathlib
import sys


def main():
    name = sys.argv[1]
    must_run = sys.argv[3] if len(sys.argv) > 3 else None
    logs = pathlib.Path(os.environ["FOCUS_CI_LOGS"])
    output = collections.defaultdict(list)
    counts = collections.Counter()
    bad, skipped = [], []
    with open(logs / f"{name}.jsonl", "w") as log:
        for line in sys.stdin:
            log.write(line)
            try:
                event = json.loads(line)
            except ValueError:
                print(line, end="")
                continue
            key = (event.get("Package") or event.get("ImportPath"), event.get("Test"))
            action = event["Action"]
            if action in ("output", "build-output"):
                output[key].append(event["Output"])
            elif action in ("pass", "fail", "skip"):
                if key[1]:
                    counts[action] += 1
                if action == "fail":
                    bad.append(key)
                if action == "skip" and key[1] and must_run and must_run in key[1].split("/")[0] and "/" not in key[1]:
                    skipped.append(key)
            elif action == "build-fail":
                bad.append(key)
    for key in bad:
        print(f"FAIL {key[0]} {key[1] or ''}")
        print("".join(output[key])[-6000:])
    for key in skipped:
        print(f"SKIPPED, and must run here: {key[0]} {key[1]}\n" + "".join(output[key]))
    print(f"{name}: {counts['pass']} passed, {counts['fail']} failed, {counts['skip']} skipped", flush=True)
    with open(logs / "counts", "a") as f:
        f.write(f"{counts['pass']} {counts['fail'] + len(skipped)} {counts['skip']}\n")
    sys.exit(1 if bad or skipped else 0)


main()
