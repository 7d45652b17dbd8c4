"""Answers each conversation of stdin, one JSON object a line, as the package
pi-durable-python would: see pi_test.go."""

import json
import re
import sys

from pi_durable.harness import compaction, context
from pi_durable.providers import estimate_message_tokens

MISSING, MORE = sys.argv[1:3]


def message(m):
    if m["role"] == "assistant":
        content = []
        if m.get("reasoning"):
            content.append({"type": "thinking", "thinking": m["reasoning"]})
        if m.get("content"):
            content.append({"type": "text", "text": m["content"]})
        for c in m.get("calls") or []:
            content.append({"type": "toolCall", "id": c["id"], "name": c["name"], "arguments": c["arguments"]})
        return {"role": "assistant", "content": content, "timestamp": 0}
    if m["role"] == "tool":
        text = [{"type": "text", "text": m.get("content", "")}]
        return {"role": "toolResult", "toolCallId": m["id"], "toolName": m["name"], "content": text}
    return {"role": m["role"], "content": m.get("content", "")}


def reworded(text):
    text = text.replace(context.MISSING_RESULT_TEXT, MISSING)
    return re.sub(r"\[\.\.\. (\d+) more characters truncated\]", lambda m: MORE.replace("N", m.group(1)), text)


def order(m):
    if m["role"] == "toolResult":
        missing = (m.get("details") or {}).get("reason") == "missing_result"
        return ["tool", m["toolCallId"], "" if missing else m["content"][0]["text"], missing]
    return [m["role"], "", "", False]


FAILURES = {
    "Summarization hit": "token_limit",
    "Summarization attempted": "tool_call",
    "Summarization produced": "no_text",
    "Summarization failed": "model_error",
}


def verdict(reply):
    content = [{"type": "text", "text": t} for t in reply.get("texts") or []]
    if reply.get("call"):
        content.append({"type": "toolCall", "id": "c", "name": "f", "arguments": {}})
    m = {"role": "assistant", "stopReason": reply["stop"], "content": content}
    text = compaction.summary_text(m)
    if text is not None:
        return text, ""
    said = compaction.summary_failure(m)
    return "", next(v for k, v in FAILURES.items() if said.startswith(k))


for line in sys.stdin:
    c = json.loads(line)
    contributions = [[message(m) for m in entry] for entry in c["entries"]]
    view = {
        "head": {"id": 0} if c["head"] else None,
        "entries": [{"id": i} for i in range(len(contributions))],
        "contributions": contributions,
        "messages": [],
    }
    cut = compaction.select_cut(view, c["keep"])
    out = {"cut": -1 if cut is None else cut}
    ordered = compaction.summarized_messages(view, len(contributions) if cut is None else cut)
    out["order"] = [order(m) for m in ordered]
    out["text"] = reworded(compaction.serialize_conversation(ordered))
    out["estimates"] = [estimate_message_tokens(m) for entry in contributions for m in entry]
    out["summary"], out["failure"] = verdict(c["reply"])
    print(json.dumps(out))
