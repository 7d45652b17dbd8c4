package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"focus/internal/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// modelDir is the bundled checkpoint as a folder.
const modelDir = "../policy/tinylm/model"

// focus runs a command line.
func focus(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(t.Context(), Builtin(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// jobFile writes a job.
func jobFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "job.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func newDir(t *testing.T) string { return filepath.Join(t.TempDir(), "run") }

// ran runs a job that must succeed.
func ran(t *testing.T, args ...string) job.Summary {
	t.Helper()
	code, out, errs := focus(t, append([]string{"run", "--json", "--quiet"}, args...)...)
	require.Equal(t, ExitDone, code, errs)
	var sum job.Summary
	require.NoError(t, json.Unmarshal([]byte(out), &sum), out)
	require.True(t, sum.Verified.OK(), "%v", sum.Verified.Problems)
	return sum
}
