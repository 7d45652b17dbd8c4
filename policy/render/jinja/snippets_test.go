package jinja

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// snippets is what testdata/make_snippets.py writes: small templates and what CPython's Jinja2 makes of them.
type snippets struct {
	Vars  json.RawMessage `json:"vars"`
	Cases [][3]*string    `json:"cases"` // source, text, error
}

// unsupported are the features doc.go excludes; a snippet that needs one must be refused, not rendered.
var unsupported = []string{"urlize", "not supported"}

// TestSnippets compares every builtin with Python on values of every type, and every tag in the ways it can be used.
func TestSnippets(t *testing.T) {
	f, err := os.Open("testdata/snippets.json.gz")
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	var s snippets
	require.NoError(t, json.NewDecoder(z).Decode(&s))
	decoded, err := Decode(string(s.Vars), FromMessage(0))
	require.NoError(t, err)
	vars := Vars{}
	for k, v := range decoded.(*Dict).All {
		vars[k.(*Str).Text()] = v
	}
	same, raised, refused, message, bad := 0, 0, 0, 0, 0
	for _, c := range s.Cases {
		var got Output
		tmpl, err := Parse(*c[0])
		if err == nil {
			got, err = tmpl.Render(vars, goldenNow)
		}
		var defect *errInternal
		switch {
		case errors.As(err, &defect) || err != nil && strings.Contains(err.Error(), "defect"):
			t.Fatalf("%s\n%v", *c[0], err)
		case c[1] != nil && err == nil && got.Text == *c[1]:
			same++
		case c[1] == nil && err != nil:
			raised++
			if _, msg, _ := strings.Cut(*c[2], ": "); strings.Contains(err.Error(), msg) {
				message++
			}
		case c[1] != nil && err != nil && containsAny(err.Error(), unsupported):
			refused++
		case c[1] == nil:
			if bad++; bad <= 400 {
				t.Errorf("%s\nrendered %s, the reference raises %s", *c[0], quote(got.Text), *c[2])
			}
		default:
			if bad++; bad <= 400 {
				t.Errorf("%s\ngot  %s %v\nwant %s", *c[0], quote(got.Text), err, quote(*c[1]))
			}
		}
	}
	t.Logf("%d identical, %d raise as the reference does (%d with its message), %d refused as unsupported, %d differ",
		same, raised, message, refused, bad)
}

func containsAny(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
