package notes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A search for a name must find that person alone, and no word may hold what
// separates keys from values.
func TestWords(t *testing.T) {
	for _, a := range names {
		for _, b := range names {
			if a != b {
				require.NotContains(t, strings.ToLower(b), strings.ToLower(a), "a search for %s finds %s", a, b)
			}
		}
	}
	all := append(append([]string{}, names...), relations...)
	for _, a := range attributes {
		all = append(append(all, a.key), a.values...)
	}
	all = append(all, errands...)
	for _, w := range all {
		require.Regexp(t, `^[A-Za-z]+$`, w)
	}
}
