package contexts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// StructuredNotes is the form of structured notes: one JSON object with exactly
// these keys.
type StructuredNotes struct {
	// Facts are findings with their sources.
	Facts []string `json:"facts"`
	// Done is what was finished.
	Done []string `json:"done"`
	// Open is what is unsettled.
	Open []string `json:"open"`
	// Next is the step to take now; not empty.
	Next string `json:"next"`
}

// ParseStructuredNotes reads notes strictly. Its error is worded for the model.
func ParseStructuredNotes(text string) (StructuredNotes, error) {
	var n struct {
		Facts *[]string `json:"facts"`
		Done  *[]string `json:"done"`
		Open  *[]string `json:"open"`
		Next  *string   `json:"next"`
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&n); err != nil {
		return StructuredNotes{}, malformed(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return StructuredNotes{}, errors.New("there is text after the object")
	}
	var missing []string
	for _, f := range []struct {
		key string
		has bool
	}{{"facts", n.Facts != nil}, {"done", n.Done != nil}, {"open", n.Open != nil}, {"next", n.Next != nil}} {
		if !f.has {
			missing = append(missing, f.key)
		}
	}
	if len(missing) > 0 {
		return StructuredNotes{}, fmt.Errorf("missing: %s", strings.Join(missing, ", "))
	}
	if strings.TrimSpace(*n.Next) == "" {
		return StructuredNotes{}, errors.New("next is empty")
	}
	return StructuredNotes{Facts: *n.Facts, Done: *n.Done, Open: *n.Open, Next: *n.Next}, nil
}

// malformed words a decoding error without naming Go types.
func malformed(err error) error {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && t.Field != "" {
		return fmt.Errorf("%s cannot be a %s", t.Field, t.Value)
	}
	if key, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("unknown key %s", key)
	}
	return errors.New("it is not one JSON object")
}

// String lays the notes out for the model; empty lists are left out.
func (n StructuredNotes) String() string {
	var b bytes.Buffer
	for _, part := range []struct {
		title string
		items []string
	}{{"Facts", n.Facts}, {"Done", n.Done}, {"Open", n.Open}} {
		if len(part.items) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s:\n", part.title)
		for _, item := range part.items {
			fmt.Fprintf(&b, "- %s\n", item)
		}
	}
	fmt.Fprintf(&b, "Next: %s", n.Next)
	return b.String()
}
