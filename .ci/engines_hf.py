"""Holds the prompts of a run against transformers' chat template and tokenizer.

    python engines_hf.py FOCUS MODEL_DIR

Plays a small job of each bundled family. Of each rollout the first prompt must
be, id for id, what transformers renders and encodes for the same messages and
tools.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from transformers import AutoTokenizer

focus, model = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(model)


def rows(run):
    listing = subprocess.run([focus, "inspect", run, "--json"], check=True, capture_output=True, text=True).stdout
    for line in json.loads(listing)["first"]:
        out = subprocess.run([focus, "inspect", run, line["rollout_id"], "--json"], check=True, capture_output=True, text=True).stdout
        yield from json.loads(out)


for family in ("calculator", "countdown", "notes"):
    demo = subprocess.run(["go", "run", "./examples/tinylm/demos", "-family", family, "-n", "1", "-seed", "1"], check=True, capture_output=True, text=True).stdout
    tools = json.loads(demo.splitlines()[0]).get("tools")
    with tempfile.TemporaryDirectory() as work:
        run = str(pathlib.Path(work) / "run")
        job = pathlib.Path(work) / "job.yaml"
        job.write_text(f"tasks: {{count: 5}}\nenv: {family}\npolicy: tinylm\nsearch: {{kind: group, size: 2}}\nagent: {{max_steps: 3, max_tokens: 64}}\n")
        subprocess.run([focus, "run", str(job), "--out", run, "--quiet"], check=True, capture_output=True)
        n = 0
        for row in rows(run):
            messages = row["messages"]
            first = next(i for i, m in enumerate(messages) if m["role"] == "assistant")
            want = tokenizer.apply_chat_template(messages[:first], tools=tools, add_generation_prompt=True, tokenize=False)
            want = tokenizer(want, add_special_tokens=False)["input_ids"]
            got = row["token_ids"][: row["prompt_len"]]
            assert got == want, (family, tokenizer.decode(got), tokenizer.decode(want))
            n += 1
        assert n > 0
        print(f"{family}: {n} first prompts are transformers' ids")
