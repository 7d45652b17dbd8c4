// Package exactness holds this project's chat templates and tokenizers against
// answers that were made elsewhere: texts rendered by CPython's Jinja2, ids
// given by Hugging Face's tokenizers.
//
// Invariants:
//
//  1. A template is identical when every conversation renders to the answer's
//     bytes, and every conversation that the reference refuses is refused.
//  2. A tokenizer is identical when every string of the corpus has the answer's
//     ids, in order and number.
//  3. An answer that is missing, and a file that an answer names and the folder
//     lacks, is a difference: a folder never passes by what it leaves out.
//
// A folder of templates holds convs.json, renders.json and templates/*; one of
// tokenizers corpus.json and for each NAME the files NAME.tokenizer.json and
// NAME.ids.json. Every JSON file may be gzipped, with .gz after its name.
// examples/exactness/make.py makes both for any model.
//
//	err := exactness.Templates("goldens/chat", "", func(l exactness.Line) error {
//		_, err := fmt.Println(l)
//		return err
//	})
//
// It compares texts and ids, not speed, and decodes nothing.
package exactness
