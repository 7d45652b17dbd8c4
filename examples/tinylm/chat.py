"""Demonstrations as text: the pieces of a chat, each marked as sampled by the assistant or not.

The text is exactly what chat_template.jinja renders; tokenizer.py checks that on every family.
"""

import json
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
END = "<|im_end|>"


def demonstrations(*arguments, n, seed, split):
    """Runs the generator in Go, which shares its problems with the bundled environments."""
    command = ["go", "run", "./examples/tinylm/demos", "-n", str(n), "-seed", str(seed), "-split", split, *arguments]
    out = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return [json.loads(line) for line in out.stdout.splitlines()]


def compact(value):
    return json.dumps(value, ensure_ascii=False)


def system_text(messages, tools):
    parts = [messages[0]["content"]] if messages[0]["role"] == "system" else []
    if tools:
        parts.append("\n".join(["# Tools", *map(compact, tools)]))
    return "\n\n".join(parts)


def assistant_text(message):
    parts = [message["content"]] if message.get("content") else []
    for call in message.get("tool_calls") or []:
        f = call["function"]
        parts.append(f'<tool_call>\n{{"name": {compact(f["name"])}, "arguments": {compact(f["arguments"])}}}\n</tool_call>')
    return "\n".join(parts)


def pieces(demo):
    """Yields (text, sampled) for each piece; joined, the pieces are the rendered chat."""
    messages, tools = demo["messages"], demo.get("tools")
    text = system_text(messages, tools)
    if text:
        yield f"<|im_start|>system\n{text}{END}\n", False
    for m in messages:
        if m["role"] == "assistant":
            yield "<|im_start|>assistant\n", False
            yield assistant_text(m) + END, m.get("weight", 1) > 0  # a mistake is shown, and not learnt
            yield "\n", False
        elif m["role"] != "system":
            yield f"<|im_start|>{m['role']}\n{m.get('content') or ''}{END}\n", False
