package tokenizer

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSyntheticFiles compares each part of a tokenizer.json on its own with HF; the
// cases are made by testdata/make.py.
func TestSyntheticFiles(t *testing.T) {
	type golden struct {
		Name    string
		File    json.RawMessage
		Texts   []string
		IDs     [][]int32
		Decode  [][]int32
		Decoded []string
	}
	cases := gunzipJSON[[]golden](t, "testdata/synthetic.json.gz")
	require.NotEmpty(t, cases)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			tok, err := Parse(c.File)
			require.NoError(t, err)
			for i, text := range c.Texts {
				if got := tok.Encode(nil, text); !slices.Equal(got, c.IDs[i]) {
					t.Errorf("text %q:\n got %v %q\nwant %v %q", text, got, spellings(tok, got), c.IDs[i], spellings(tok, c.IDs[i]))
				}
			}
			for i, ids := range c.Decode {
				require.Equal(t, c.Decoded[i], tok.Decode(ids), "ids %v", ids)
			}
		})
	}
}
