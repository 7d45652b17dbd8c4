"""Holds `focus render` against transformers, with real tokenizers of the goldens.

    python engines_exact.py FOCUS

Puts a golden tokenizer and a golden chat template into a model folder, for two
models. transformers renders and encodes three conversations with it; focus must
give the same text and the same ids. The goldens are in $FOCUS_GOLDENS, or beside
the checkout; without them one line says so.
"""

import datetime
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from transformers import AutoTokenizer
from transformers.utils import chat_template_utils

focus = sys.argv[1]
goldens = pathlib.Path(os.environ.get("FOCUS_GOLDENS") or "../shared/goldens")
if not (goldens / "chat" / "convs.json").exists():
    print("no goldens here (set FOCUS_GOLDENS): focus render was not held against transformers")
    sys.exit(0)


class Frozen(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2026, 11, 30, 12, 0, 0, tzinfo=tz)


chat_template_utils.datetime = Frozen
conversations = {c["id"]: c for c in json.loads((goldens / "chat" / "convs.json").read_text())}
models = {
    "qwen3": ("llamacpp__Qwen-Qwen3-0.6B.jinja", {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}),
    "llama3_1": ("llamacpp__meta-llama-Llama-3.1-8B-Instruct.jinja", {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>"}),
}
for name, (template, special) in models.items():
    with tempfile.TemporaryDirectory() as work:
        model = pathlib.Path(work)
        (model / "tokenizer.json").write_bytes(gzip.decompress((goldens / "tokenizer" / f"{name}.tokenizer.json.gz").read_bytes()))
        (model / "chat_template.jinja").write_bytes((goldens / "chat" / "templates" / template).read_bytes())
        (model / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", **special}))
        tokenizer = AutoTokenizer.from_pretrained(work)
        count = 0
        for key in ("tool_call_cont", "special_tokens_in_content", "unicode"):
            c = conversations[key]
            arguments = {"tools": c["tools"], "add_generation_prompt": c["add_generation_prompt"], **c["kwargs"]}
            text = tokenizer.apply_chat_template(c["messages"], tokenize=False, **arguments)
            ids = tokenizer.apply_chat_template(c["messages"], tokenize=True, return_dict=False, **arguments)
            (model / "messages.json").write_text(json.dumps(c["messages"]))
            (model / "tools.json").write_text(json.dumps(c["tools"]))
            command = [focus, "render", work, "--json", "--tokens", "hf-exact", "--date", "2026-11-30", "--messages", str(model / "messages.json"), "--tools", str(model / "tools.json")]
            command += [] if c["add_generation_prompt"] else ["--finished"]
            command += [f"--kwarg={k}={json.dumps(v)}" for k, v in c["kwargs"].items()]
            got = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            assert got["text"] == text, (name, key, got["text"], text)
            assert got["ids"] == list(ids), (name, key, got["ids"], ids)
            count += len(ids)
        print(f"{name}: 3 conversations, {count} ids are transformers'")
