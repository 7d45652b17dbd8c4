"""The tokenizer: byte-level BPE, trained on rendered demonstrations, saved as transformers loads it."""

import json
import shutil

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoTokenizer

from chat import END, HERE, pieces

END_OF_TEXT, START = "<|endoftext|>", "<|im_start|>"
SPECIAL = [END_OF_TEXT, START, END]
TOOL_CALL = ["<tool_call>", "</tool_call>"]

# Digits and operators stand alone: arithmetic is done digit by digit. A capitalised word never takes its space
# along, so that a name is the same token after a space, a newline or a quote. Runs of punctuation may hold single
# spaces (JSON's `": {"`). Without look-ahead: every engine of regular expressions reads it alike.
SPLIT = (
    r"[0-9]|[-+*/()=]| ?[a-z_]+|[A-Z][A-Za-z_]*|[\n\r\t]"
    r"| ?[^0-9A-Za-z_\-+*/()=\n\r\t ]+(?: [^0-9A-Za-z_\-+*/()=\n\r\t ]+)*| "
)


def train(demos, size):
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(SPLIT), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tok.decoder = decoders.ByteLevel()
    added = [AddedToken(t, special=True, normalized=False) for t in SPECIAL]
    added += [AddedToken(t, special=False, normalized=False) for t in TOOL_CALL]
    texts = []
    for d in demos:
        text = "".join(t for t, _ in pieces(d))
        for t in SPECIAL + TOOL_CALL:
            text = text.replace(t, "\n")
        texts.append(text)
    trainer = trainers.BpeTrainer(
        vocab_size=size, min_frequency=20, show_progress=False, special_tokens=added,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    tok.train_from_iterator(texts, trainer)
    return tok


def save(tok, folder, window):
    folder.mkdir(parents=True, exist_ok=True)
    tok.save(str(folder / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": window, "clean_up_tokenization_spaces": False,
        "eos_token": END, "pad_token": END_OF_TEXT, "bos_token": None, "add_bos_token": False,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n")
    shutil.copy(HERE / "chat_template.jinja", folder / "chat_template.jinja")


def check(folder, demos):
    """The saved folder renders and masks these demonstrations exactly as chat.py does."""
    tok = AutoTokenizer.from_pretrained(folder)
    for d in demos:
        d = d | {"messages": [m | {"weight": 1} for m in d["messages"]]}  # templates know nothing of weights
        text = "".join(t for t, _ in pieces(d))
        got = tok.apply_chat_template(d["messages"], tools=d.get("tools"), tokenize=False)
        if got != text:
            raise SystemExit(f"the template renders\n{got!r}\nbut the trainer\n{text!r}")
        both = tok.apply_chat_template(d["messages"], tools=d.get("tools"), return_dict=True, return_assistant_tokens_mask=True)
        ids, mask = encode(tok.backend_tokenizer, d)
        if both["input_ids"] != ids or both["assistant_masks"] != mask:
            raise SystemExit(f"the template's ids or mask differ from the trainer's on\n{text!r}")


def encode(tok, demo):
    """Ids of a demonstration and, for each, 1 if the assistant sampled it."""
    parts = list(pieces(demo))
    ids, mask = [], []
    for enc, (_, sampled) in zip(tok.encode_batch([t for t, _ in parts]), parts):
        ids += enc.ids
        mask += [int(sampled)] * len(enc.ids)
    return ids, mask
