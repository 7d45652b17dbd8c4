"""Makes synthetic.json.gz: small tokenizer files with what HF's tokenizers gives for them.

    pip install tokenizers==0.22.2
    python make.py

Each case is {name, file (the tokenizer.json), texts, ids, decoded}. The real tokenizers are
the goldens' matter; these ask for each part and flag on its own.
"""
import gzip
import itertools
import json
import random
from pathlib import Path

from tokenizers import Tokenizer


def alphabet():
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in printable]
    return {**{b: chr(b) for b in printable}, **{b: chr(256 + i) for i, b in enumerate(others)}}


BYTES = alphabet()
MERGES = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("i", "n"), ("Ġ", "Ġ"), ("1", "2"), ("a", "b"), ("b", "c"),
          ("ab", "c"), ("f", "o"), ("fo", "o"), ("Ċ", "Ċ"), ("Ã", "©"), ("Ã", "Ĳ")]
BYTE_DECODER = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
FALLBACK_DECODER = {"type": "Sequence", "decoders": [
    {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}
NFC = {"type": "NFC"}


def file(pre=None, norm=None, added=(), decoder=BYTE_DECODER, **model):
    vocab = {BYTES[b]: b for b in range(256)}
    for a, b in MERGES:
        vocab.setdefault(a + b, len(vocab))
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
             "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
             "vocab": vocab, "merges": [" ".join(m) for m in MERGES], **model}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    tokens = [{"id": len(model["vocab"]) + i, **flags, **a} for i, a in enumerate(added)]
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": tokens, "normalizer": norm,
            "pre_tokenizer": pre, "post_processor": None, "decoder": decoder, "model": model}


def fallback(bytes_=True, unknown=True, fuse=True, full=True, **more):
    vocab = {"<unk>": 0, "<s>": 1}
    if bytes_:
        for b in range(256):
            if full or b % 7:
                vocab[f"<0x{b:02X}>"] = len(vocab)
    for c in "▁abcdethfo ":
        vocab.setdefault(c, len(vocab))
    merges = [("t", "h"), ("th", "e"), ("▁", "the"), ("▁", "▁"), ("f", "o"), ("fo", "o"), ("▁", "a"), ("a", "b"),
              ("▁▁", "▁▁"), (" ", "the")]
    for a, b in merges:
        vocab.setdefault(a + b, len(vocab))
    return file(decoder=FALLBACK_DECODER, vocab=vocab, merges=[list(m) for m in merges],
                byte_fallback=bytes_, unk_token="<unk>" if unknown else None, fuse_unk=fuse, **more)


def sequence(*parts):
    return {"type": "Sequence", "pretokenizers": list(parts)}


def split(pattern, behavior="Isolated", invert=False, kind="Regex"):
    return {"type": "Split", "pattern": {kind: pattern}, "behavior": behavior, "invert": invert}


PATTERNS = [
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    r"\w+|\W+", r"[\w]+", r"\bthe\b|\B.", r"\d+|\D+", r"\h+", r" ?[^(\s|[.,!?…。，、।۔،])]+", r"(?i)the|foo|s", r"(?i:[a-z]+)",
    r"[[a-z]&&[^aeiou]]+", r"[a-z&&[^aeiou]]+", r"^.+$", r"(?m).+", r"(?<=t)h|(?<!a)b", r"a{1,2}+", r"a{2}?", r"a{2}+",
    r"(?x) t h # c", r"\p{Han}+", r"\p{^L}+", r"\P{L}+", r"[^\P{L}a]+", r"漢|\x{5b57}|\x41", r"(?>a+)b", r"(a|b)+?c",
    r"x*", r"[a\-z]+", r"[]a]+", r"[^]a]+", r"[a-]+", r"\A.|.\z", r".\Z", r"[\s\d]+", r"(?<n>foo)", r"a(?i)b|THE",
    r"\p{Lu}\p{Ll}+|\p{L}|\p{S}|\p{P}|\p{M}+|\p{Z}|\p{C}", r"{|}", r"a{,2}", r"[^\S\n]+", r"[\w&&\D]+", r"(?#c)a",
    r"\p{Hiragana}+|\p{Katakana}+|\p{Latin}+|\p{Cyrillic}+", r"\s+(?=\S)", r"(?i)ſ|k", r"(?i:[^s])+",
    r"[0-9]|[-+*/()=]| ?[A-Za-z]+|[\n\r\t ]|[^-0-9+*/()=A-Za-z\n\r\t ]+", r"\p{N}{2,3}", r"\p{N}",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
]
WORDS = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def cases():
    for behavior in ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]:
        for invert in [False, True]:
            yield f"Split regex {behavior} invert={invert}", file(sequence(split(r"\.|foo| ", behavior, invert), BYTE_LEVEL))
            yield f"Split string {behavior} invert={invert}", file(sequence(split(".", behavior, invert, "String"), BYTE_LEVEL))
            yield f"Split GPT-2 {behavior} invert={invert}", file(sequence(split(WORDS, behavior, invert), BYTE_LEVEL))
        yield f"Punctuation {behavior}", file(sequence({"type": "Punctuation", "behavior": behavior}, BYTE_LEVEL))
    for prefix, regex in itertools.product([False, True], repeat=2):
        yield f"ByteLevel prefix={prefix} regex={regex}", file({**BYTE_LEVEL, "add_prefix_space": prefix, "use_regex": regex})
    yield "Falcon", file(sequence({"type": "Punctuation", "behavior": "Contiguous"}, {**BYTE_LEVEL, "use_regex": True},
                                  {"type": "Digits", "individual_digits": False}, split("[0-9][0-9][0-9]")))
    for one in [False, True]:
        yield f"Digits individual={one}", file(sequence({"type": "Digits", "individual_digits": one}, BYTE_LEVEL))
    yield "Whitespace", file(sequence({"type": "Whitespace"}, BYTE_LEVEL))
    yield "WhitespaceSplit", file(sequence({"type": "WhitespaceSplit"}, BYTE_LEVEL))
    for pattern in PATTERNS:
        yield f"pattern kept {pattern}", file(sequence(split(pattern, "Removed", True), BYTE_LEVEL))
    for norm in [None, NFC]:
        for l, r, s, n in itertools.product([False, True], repeat=4):
            flags = {"lstrip": l, "rstrip": r, "single_word": s, "normalized": n}
            added = [{"content": c, **flags} for c in ["<m>", "<mm>", "<é>", "tok", "token"]] + [{"content": "\n", "normalized": n}]
            yield f"added {flags} {norm}", file(BYTE_LEVEL, norm, added)
    llama = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
                                                 {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]}
    spaces = {"type": "Replace", "pattern": {"Regex": r"\s+|x"}, "content": "▁"}
    added = [{"content": "<m>"}, {"content": "<é>", "normalized": True}, {"content": "tok", "normalized": True, "single_word": True}]
    for b, u, f, full in itertools.product([False, True], repeat=4):
        for norm in [llama, spaces]:
            yield f"fallback {b} {u} {f} {full} {norm['type']}", fallback(b, u, f, full, norm=norm, added=added)
    for scheme in ["always", "first", "never"]:
        for cut in [False, True]:
            pre = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": cut}
            yield f"Metaspace {scheme} split={cut}", fallback(pre=pre, added=[{"content": "<m>", "lstrip": True}])
    yield "ignore_merges", file(sequence(split(WORDS), BYTE_LEVEL), ignore_merges=True)
    vocab = {**{BYTES[b]: b for b in range(256)}, "<n>": 700, "a<": 300}
    yield "ids of added tokens", file(BYTE_LEVEL, added=[{"content": "<n>"}, {"content": "<m>"}, {"content": "a<"}, {"content": "<k>"},
                                                         {"content": "<m>", "lstrip": True}, {"content": ""}], vocab=vocab, merges=[])


POOL = [" ", " ", "  ", "\n", "\r\n", "\t", "a", "b", "abc", "The", "the", "foo", "foofoo", ".", "..", "'s", "'S", "'LL", "'ll", "'ſ",
        "1", "12", "123", "4567", "१", "Ⅻ", "½", "²", "é", "e\u0301", "\u0301", "\u0323", "\u07fd", "\U00011935\U00011930", "漢", "字",
        "ひ", "カ", "ー", "🙂", "\u200d", "\u00a0", "\u3000", "/", "...", '"', "$", "+", "Ａ", "ß", "ſ", "ǅ", "ʰ", "\u0903", "\u0897",
        "가", "ᄀ", "ᅡ", "ᆨ", "<", ">", "<m>", "<m>", " <m> ", "<M>", "<mm>", "<é>", "<e\u0301>", "x<m>", "<m>y", "<n>", "a<", "<k>",
        "tok", "token", "▁", "\x00", "\x7f", "\u2028", "\x85", "\u1c89", "\u31e4", "_", "foo_bar", "camelCase", "HTTPServer", "<s>",
        "<unk>", "К", "Привет", "שלום", "مرحبا", "\u064b", "ไทย", "\ufffd", "\ufeff", "]", "{", "}", "-", "!", "…", "A", "x"]


def main():
    draw = random.Random(20261130)
    out = []
    for name, tokenizer in cases():
        texts = ["", "the the\n\nthe", " the", "x\n", "a.b.c..d", "q" + "\u0301\u0323" * 20]
        texts += ["".join(draw.choice(POOL) for _ in range(draw.randrange(1, 12))) for _ in range(40)]
        hf = Tokenizer.from_str(json.dumps(tokenizer))
        ids = [hf.encode(t, add_special_tokens=False).ids for t in texts]
        some = [[draw.randrange(hf.get_vocab_size()) for _ in range(draw.randrange(1, 8))] for _ in range(20)]
        # Not "<é>": HF decodes it to bytes that are not its text (see AppendBytes).
        some = [[i for i in s if hf.id_to_token(i) not in (None, "<é>")] for s in some]
        out.append({"name": name, "file": tokenizer, "texts": texts, "ids": ids,
                    "decode": some, "decoded": [hf.decode(s, skip_special_tokens=False) for s in some]})
    data = json.dumps(out, ensure_ascii=False, separators=(",", ":")).encode()
    with open(Path(__file__).with_name("synthetic.json.gz"), "wb") as f:
        with gzip.GzipFile(fileobj=f, mode="wb", filename="", mtime=0) as z:
            z.write(data)
    print(len(out), "tokenizers,", sum(len(c["texts"]) for c in out), "texts")


main()
