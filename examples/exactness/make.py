"""Makes the folders that `focus exactness` reads, with transformers' answers.

    python make.py OUT MODEL... [--convs FILE] [--corpus FILE]

MODEL is a folder or a name that transformers knows. Writes

    OUT/chat       templates/NAME.jinja, convs.json, renders.json.gz
    OUT/tokenizer  NAME.tokenizer.json, NAME.ids.json.gz, corpus.json

Needs transformers. The clock of templates stands at 2026-11-30.
"""

import argparse
import datetime
import gzip
import json
import pathlib
import random
import re

from transformers import AutoTokenizer
from transformers.utils import chat_template_utils


class Frozen(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2026, 11, 30, 12, 0, 0, tzinfo=tz)


chat_template_utils.datetime = Frozen
VARIABLES = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}


def default_conversations():
    look = {
        "type": "function",
        "function": {
            "name": "look_up",
            "description": "Finds a page.\nNever \"guesses\" & knows <b>ü</b>.",
            "parameters": {"type": "object", "properties": {"q": {"type": "string"}, "depth": {"type": "number", "default": 1e-7}}, "required": ["q"]},
        },
    }

    def call(n, q):
        return {"id": f"call0000{n}", "type": "function", "function": {"name": "look_up", "arguments": {"q": q, "depth": 2.0}}}

    def result(n, text):
        return {"role": "tool", "content": text, "tool_call_id": f"call0000{n}", "name": "look_up"}

    system, ask = {"role": "system", "content": "Be brief."}, {"role": "user", "content": "How high is the Säntis?"}
    said = {"role": "assistant", "content": "2,502 m."}
    calls = {"role": "assistant", "content": "", "tool_calls": [call(1, "Säntis")]}
    both = {"role": "assistant", "content": "Both.", "tool_calls": [call(1, "Säntis"), call(2, "Rigi")]}
    thought = {"role": "assistant", "content": "2,502 m.", "reasoning_content": "A mountain."}
    rows = [
        ("asked", [system, ask], None, True, {}),
        ("answered", [system, ask, said], None, False, {}),
        ("again", [ask, said, {"role": "user", "content": "  And in feet?\r\n"}], None, True, {}),
        ("tools", [system, ask], [look], True, {}),
        ("called", [system, ask, calls, result(1, "2502")], [look], True, {}),
        ("parallel", [ask, both, result(1, "2502"), result(2, "1798")], [look], True, {}),
        ("thought", [ask, thought, {"role": "user", "content": "Sure?"}], None, True, {}),
        ("no thinking", [ask], None, True, {"enable_thinking": False}),
        ("markers", [{"role": "user", "content": "<|im_end|></s><|eot_id|>[/INST]<think>x</think>"}], None, True, {}),
    ]
    return [{"id": i, "messages": m, "tools": t, "add_generation_prompt": g, "kwargs": k} for i, m, t, g, k in rows]


def default_corpus(tokenizers):
    """Words, numbers, spaces and scripts in random company, and every added token."""
    rng = random.Random(4)
    parts = ["the", " Quick", "don't", "12345", "\n", "\r\n", "  ", "\t", "é", "e\u0301", "世界", "🙂‍↔️", "שלום", "नमस्ते", ".", "...", "!=", "_x", "A", "\u200b", "\u00a0", "ſ", "'S"]
    corpus = ["", " ", "a" * 300, " " * 70, *parts]
    corpus += ["".join(rng.choices(parts, k=rng.randint(2, 12))) for _ in range(1000)]
    for tokenizer in tokenizers:
        for token in tokenizer.get_added_vocab():
            corpus += [token, f"a{token}b", f" {token} \n{token}"]
    return list(dict.fromkeys(corpus))


def render(template, conversation):
    try:
        texts, _ = chat_template_utils.render_jinja_template(
            [json.loads(json.dumps(conversation["messages"]))],
            tools=conversation["tools"],
            chat_template=template,
            add_generation_prompt=conversation["add_generation_prompt"],
            **{**VARIABLES, **conversation["kwargs"]},
        )
        return {"ok": texts[0]}
    except Exception as err:  # whatever a template raises is the answer
        return {"err": f"{type(err).__name__}: {str(err)[:200]}"}


def write(path, value, text=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    data = value if text else json.dumps(value, ensure_ascii=False)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(data.encode(), mtime=0))
    else:
        path.write_bytes(data.encode())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("model", nargs="+")
    parser.add_argument("--convs", type=pathlib.Path)
    parser.add_argument("--corpus", type=pathlib.Path)
    args = parser.parse_args()
    models = {re.sub(r"[^A-Za-z0-9._-]+", "_", m.strip("/")).strip("_."): AutoTokenizer.from_pretrained(m) for m in args.model}
    conversations = json.loads(args.convs.read_text()) if args.convs else default_conversations()
    corpus = json.loads(args.corpus.read_text()) if args.corpus else default_corpus(models.values())
    write(args.out / "chat" / "convs.json", conversations)
    write(args.out / "tokenizer" / "corpus.json", corpus)
    renders = {}
    for name, tokenizer in models.items():
        templates = tokenizer.chat_template or {}
        if isinstance(templates, str):
            templates = {"": templates}
        for kind, template in templates.items():
            file = f"{name}{'-' + kind if kind else ''}.jinja"
            write(args.out / "chat" / "templates" / file, template, text=True)
            renders[file] = {c["id"]: render(template, c) for c in conversations}
        fast = tokenizer.backend_tokenizer
        write(args.out / "tokenizer" / f"{name}.tokenizer.json", fast.to_str(), text=True)
        write(args.out / "tokenizer" / f"{name}.ids.json.gz", [fast.encode(t, add_special_tokens=False).ids for t in corpus])
    write(args.out / "chat" / "renders.json.gz", renders)


main()
