// Package jinja renders Hugging Face chat templates as CPython's Jinja2 does in transformers' environment, byte for byte,
// and says where the bytes came from.
//
// What it reproduces is Jinja2 3.1.6 in an ImmutableSandboxedEnvironment with trim_blocks, lstrip_blocks, loop controls,
// the generation tag, tojson as transformers redefines it, raise_exception and strftime_now; Python's strings, floats,
// reprs and dict order included.
//
// Invariants:
//
//  1. The text equals the reference's wherever the reference renders; where it raises, Render returns an error.
//  2. Every byte of the output that came from an Untrusted string lies in exactly one span of Output.Content, under that
//     string's source. A builtin that cannot follow bytes (title, wordwrap, …) marks its whole result.
//  3. A byte lies in Output.Generation if and only if a generation block wrote it, be it through a macro or a variable.
//  4. Values are never written to: what mutates a list or a dict raises SecurityError, as in the sandbox. One Template and
//     one set of Vars serve concurrent renders.
//  5. No template harms the process: Limits bound steps, nesting, memory and output, each with a *LimitError; there is no
//     file, network, clock or random number behind a template.
//
// Example:
//
//	t, err := jinja.Parse("{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}")
//	messages, err := jinja.Decode(`[{"role": "user", "content": "hi"}]`, jinja.Trusted)
//	messages, tools := jinja.MarkChat(messages, jinja.None)
//	out, err := t.Render(jinja.Vars{"messages": messages, "tools": tools}, jinja.Options{})
//	// out.Text is "<|user|>hi", out.Content is [{8 10 1}].
//
// How it works: lexer.go and parser.go build the tree of ast.go; compile.go gives every name a variable by Jinja's own
// scope analysis (scope.go); exec.go and eval.go walk the tree. Python's exceptions travel as panics of type fault that
// never leave Parse and Render.
//
// What it does not do: template inheritance and imports (they raise, as HF's environment does); the urlize, random and
// lipsum builtins, bytes, sets, complex numbers and \N{…} escapes (they raise too); the attribute of a dict as the target of
// a set block, by which a template could change its input; and what Jinja's constant folding makes of expressions that
// hold an error and no variable. Values whose Python text is an address print a constant. Character classes and case are
// those of Unicode 15, Python 3.12's.
package jinja
