package exactness

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"focus/policy/tokenizer"
)

// Tokenizers checks every tokenizer file of a folder in the order of their names
// and calls each with what it found. corpus may name a file of strings; "" is
// the folder's own.
func Tokenizers(dir, corpus string, each func(Line) error) error {
	var texts []string
	if err := readJSON(given(corpus, dir, "corpus.json"), &texts); err != nil {
		return fmt.Errorf("corpus: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		file := strings.TrimSuffix(e.Name(), ".gz")
		for _, suffix := range []string{".tokenizer.json", ".ids.json"} {
			if name, ok := strings.CutSuffix(file, suffix); ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		l := Line{Kind: "tokenizer", Name: name, Total: len(texts)}
		compare(&l, filepath.Join(dir, name), texts)
		if err := each(l); err != nil {
			return err
		}
	}
	return nil
}

// compare encodes the corpus with one tokenizer.
func compare(l *Line, path string, texts []string) {
	var want [][]int32
	if err := readJSON(path+".ids.json", &want); err != nil {
		l.differ("ids: %v", err)
		return
	}
	if len(want) != len(texts) {
		l.differ("%d answers for %d strings", len(want), len(texts))
		return
	}
	data, err := read(path + ".tokenizer.json")
	if err != nil {
		l.differ("%v", err)
		return
	}
	tok, err := tokenizer.Parse(data)
	if err != nil {
		l.differ("%v", err)
		return
	}
	var ids []int32
	for i, text := range texts {
		ids = tok.Encode(ids[:0], text)
		if !slices.Equal(ids, want[i]) {
			l.differ("string %d, %s: %s", i, near(text, 0), firstID(ids, want[i]))
			continue
		}
		l.Same++
		l.IDs += len(ids)
	}
}

// firstID says where two lists of ids part.
func firstID(got, want []int32) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	part := func(ids []int32) []int32 { return ids[i:min(len(ids), i+8)] }
	return fmt.Sprintf("at id %d got %v, want %v", i, part(got), part(want))
}
