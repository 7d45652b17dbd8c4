package config

import (
	"errors"
	"fmt"
	"strings"
)

// Problem is one thing wrong with a job file.
type Problem struct {
	// Path is the key, with dots; empty for the file as a whole.
	Path string
	// Line in the file, from 1; 0 when the value came from elsewhere.
	Line int
	Text string
}

func (p Problem) Error() string {
	var b strings.Builder
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Text)
	if p.Line > 0 {
		fmt.Fprintf(&b, " (line %d)", p.Line)
	}
	return b.String()
}

// under puts the lines of a Validate below a key: "max_ops: 13 is more than 12"
// of the section env becomes "env.max_ops: …".
func under(path string, line int, err error) error {
	var out []error
	for _, e := range flatten(err) {
		if p, ok := errors.AsType[Problem](e); ok {
			out = append(out, p)
			continue
		}
		text, at := e.Error(), path
		if key, rest, ok := strings.Cut(text, ": "); ok && isKey(key) {
			at, text = join(path, key), rest
		}
		out = append(out, Problem{Path: at, Line: line, Text: text})
	}
	return errors.Join(out...)
}

// flatten opens what errors.Join closed.
func flatten(err error) []error {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var out []error
		for _, e := range many.Unwrap() {
			out = append(out, flatten(e)...)
		}
		return out
	}
	return []error{err}
}

// isKey reports whether a word can be a key of ours.
func isKey(s string) bool {
	for _, r := range s {
		if r != '_' && r != '.' && (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// nearest is the known key that is closest to a wrong one, as a question to put
// behind an error; empty when none is close.
func nearest(key string, known []string) string {
	best, at := "", 1+len(key)/2
	for _, k := range known {
		if d := distance(key, k); d < at {
			best, at = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is Levenshtein's.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
