package cmd

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/dataset"
	"focus/policy/tinylm"
	"focus/policy/tokenizer"
)

const quickstart = "../examples/quickstart.yaml"

func TestQuickstartEndsWithFilesAndASummary(t *testing.T) {
	dir := newDir(t)
	code, out, errs := focus(t, "run", quickstart, "--out", dir, "--set", "tasks.count=3", "--set", "search.size=4")
	require.Equal(t, ExitDone, code, errs)
	for _, want := range []string{"rollouts    12 in 3 groups", "success ", "mean ", "tokens/s", "files       " + dir, "verified    digest "} {
		require.Contains(t, out, want)
	}
	code, verified, errs := focus(t, "verify", dir)
	require.Equal(t, ExitDone, code, errs)
	require.Contains(t, verified, "every row is whole, exact, and trains at most once")

	code, seen, errs := focus(t, "inspect", dir)
	require.Equal(t, ExitDone, code, errs)
	require.Contains(t, seen, "calculator")
	run, err := dataset.Read(dir)
	require.NoError(t, err)
	for s, err := range run.Samples() {
		require.NoError(t, err)
		code, one, errs := focus(t, "inspect", dir, string(s.RolloutID))
		require.Equal(t, ExitDone, code, errs)
		require.Contains(t, one, "<tool_call>", "ids are shown as text")
		break
	}
}

// The same seed and job give the same rows, whatever the schedule: concurrency,
// batch size, prefix cache and threads change nothing.
func TestDigestDependsOnTheJobAlone(t *testing.T) {
	small := []string{quickstart, "--set", "tasks.count=4", "--set", "search.size=4"}
	want := ran(t, append(small, "--out", newDir(t))...).Verified.Digest
	for _, set := range []string{"run.concurrency=1", "run.concurrency=7", "policy.engine.batch=1", "policy.engine.batch=3", "policy.engine.cache_bytes=-1", "policy.engine.workers=1"} {
		got := ran(t, append(small, "--out", newDir(t), "--set", set)...).Verified.Digest
		require.Equal(t, want, got, set)
	}
	for _, n := range []int{1, 4} {
		old := runtime.GOMAXPROCS(n)
		got := ran(t, append(small, "--out", newDir(t))...).Verified.Digest
		runtime.GOMAXPROCS(old)
		require.Equal(t, want, got, "GOMAXPROCS %d", n)
	}
	require.NotEqual(t, want, ran(t, append(small, "--out", newDir(t), "--set", "seed=2")...).Verified.Digest)
}

func TestEveryExampleRuns(t *testing.T) {
	files, err := filepath.Glob("../examples/*.yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 3)
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			sum := ran(t, f, "--out", newDir(t), "--set", "tasks.count=2", "--set", "search.size=2")
			require.Equal(t, 4, sum.Finished)
			require.Zero(t, sum.Failed)
		})
	}
}

func TestTasksFromAFile(t *testing.T) {
	rows := filepath.Join(t.TempDir(), "tasks.jsonl")
	require.NoError(t, os.WriteFile(rows, []byte(
		`{"id":"a","prompt":"3 5\n8","numbers":[3,5],"target":8}`+"\n"+
			`{"id":"b","prompt":"2 9\n11","numbers":[2,9],"target":11}`+"\n"), 0o600))
	file := jobFile(t, "tasks: {path: "+rows+"}\nenv: countdown\npolicy: tinylm\nsearch: {kind: group, size: 2}\nagent: {max_tokens: 32}\n")
	sum := ran(t, file, "--out", newDir(t))
	require.Equal(t, 2, sum.Tasks)
	require.Equal(t, 4, sum.Finished)
	require.Zero(t, sum.Failed, "%v", sum.Failures)
}

// What a row asks is what the policy sees, and its text is text: a marker in it
// is no control token.
func TestTheRowsPromptIsAsked(t *testing.T) {
	rows := filepath.Join(t.TempDir(), "tasks.jsonl")
	require.NoError(t, os.WriteFile(rows, []byte(`{"prompt":"3 5<|im_end|>\n8","numbers":[3,5],"target":8}`+"\n"), 0o600))
	dir := newDir(t)
	ran(t, jobFile(t, "tasks: {path: "+rows+"}\nenv: countdown\npolicy: tinylm\nsearch: {size: 1}\nagent: {max_tokens: 8}\n"), "--out", dir)
	tok, err := tokenizer.LoadFS(tinylm.Bundled())
	require.NoError(t, err)
	end, _ := tok.ID("<|im_end|>")
	run, err := dataset.Read(dir)
	require.NoError(t, err)
	for s, err := range run.Samples() {
		require.NoError(t, err)
		prompt := s.TokenIDs[:s.PromptLen]
		require.Contains(t, tok.Decode(prompt), "3 5<|im_end|>\n8")
		ends := 0
		for _, id := range prompt {
			if id == end {
				ends++
			}
		}
		require.Equal(t, 2, ends, "of the system turn and of the user's")
	}
}

// A key beside the default kind needs no kind.
func TestKeysOfADefaultKind(t *testing.T) {
	ran(t, quickstart, "--out", newDir(t), "--set", "credit.ddof=0", "--set", "search={size: 2}", "--set", "tasks.count=1")
}

func TestVerifyLooksAtTheRunFile(t *testing.T) {
	dir := newDir(t)
	ran(t, quickstart, "--out", dir, "--set", "tasks.count=1", "--set", "search.size=1")
	path := filepath.Join(dir, "run.json")
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, bad := range []string{"{", "null", strings.Replace(string(good), `"run_id": "`, `"run_id": "x`, 1), strings.Replace(string(good), `"count": 1`, `"count": 2`, 1)} {
		require.NoError(t, os.WriteFile(path, []byte(bad), 0o600))
		code, out, _ := focus(t, "verify", dir)
		require.Equal(t, ExitProblems, code, bad)
		require.Contains(t, out, "run.json")
	}
	require.NoError(t, os.Remove(path))
	code, out, _ := focus(t, "verify", dir)
	require.Equal(t, ExitProblems, code)
	require.Contains(t, out, "run.json")
}

func TestVerifyFindsDamage(t *testing.T) {
	dir := newDir(t)
	ran(t, quickstart, "--out", dir, "--set", "tasks.count=1", "--set", "search.size=2")
	shards, err := filepath.Glob(filepath.Join(dir, "shards", "samples-*.arrows"))
	require.NoError(t, err)
	b, err := os.ReadFile(shards[0])
	require.NoError(t, err)
	b[len(b)/2] ^= 1
	require.NoError(t, os.WriteFile(shards[0], b, 0o600))
	code, out, _ := focus(t, "verify", dir)
	require.Equal(t, ExitProblems, code)
	require.Contains(t, out, "samples-000000.arrows")
	require.Contains(t, out, "NOT verified")
}

// Whatever is wrong with the input is one line that names it, and exit code 2
// before anything starts.
func TestBadInput(t *testing.T) {
	finished := newDir(t)
	ran(t, quickstart, "--out", finished, "--set", "tasks.count=1", "--set", "search.size=1")
	rows := filepath.Join(t.TempDir(), "rows.jsonl")
	require.NoError(t, os.WriteFile(rows, []byte("{\"prompt\":\"a\"}\nnot json\n"), 0o600))
	unplayable, empty := filepath.Join(t.TempDir(), "unplayable.jsonl"), filepath.Join(t.TempDir(), "empty.jsonl")
	require.NoError(t, os.WriteFile(unplayable, []byte(`{"prompt":"3 5\n8","numbers":[3,5],"target":8}`+"\n"+`{"prompt":"x"}`+"\n"), 0o600))
	require.NoError(t, os.WriteFile(empty, []byte("\n"), 0o600))
	refusing := t.TempDir()
	require.NoError(t, os.CopyFS(refusing, tinylm.Bundled()))
	require.NoError(t, os.WriteFile(filepath.Join(refusing, "chat_template.jinja"), []byte("{{ raise_exception('no') }}"), 0o600))
	for _, tc := range []struct {
		name string
		args []string
		want string
	}{
		{"no job", []string{"run"}, "want one job file"},
		{"missing file", []string{"run", "nowhere.yaml"}, "nowhere.yaml"},
		{"unknown command", []string{"rum"}, "rum"},
		{"unknown flag", []string{"run", "--outt", "x", quickstart}, "outt"},
		{"unknown key", []string{"run", quickstart, "--set", "agent.max_stepz=1"}, `did you mean "max_steps"?`},
		{"wrong type", []string{"run", quickstart, "--set", "agent.max_steps=many"}, "agent.max_steps"},
		{"unknown kind", []string{"run", quickstart, "--set", "env={kind: calculater}"}, `did you mean "calculator"?`},
		{"two policies in one", []string{"run", quickstart, "--set", "policy.url=http://x"}, "policy.url"},
		{"output holds a run", []string{"run", quickstart, "--out", finished}, "choose another folder"},
		{"task row", []string{"run", quickstart, "--set", "tasks={path: " + rows + "}"}, rows + ":2"},
		{"task that the world cannot play", []string{"run", quickstart, "--set", "tasks={path: " + unplayable + "}", "--set", "env=countdown"}, unplayable + ":2"},
		{"no tasks", []string{"run", quickstart, "--set", "tasks={path: " + empty + "}"}, "has no rows"},
		{"too many at once", []string{"run", quickstart, "--set", "run.concurrency=100000000"}, "run.concurrency"},
		{"too many tasks", []string{"run", quickstart, "--set", "tasks.count=100000000000"}, "tasks.count"},
		{"too large a group", []string{"run", quickstart, "--set", "search.size=1000000000"}, "search: size is 1000000000"},
		{"output below a file", []string{"run", quickstart, "--out", rows + "/run"}, "choose another folder"},
		{"bench of nothing", []string{"bench", "--turns", "-1"}, "--turns"},
		{"missing task file", []string{"run", quickstart, "--set", "tasks={path: gone.jsonl}"}, "gone.jsonl"},
		{"checkpoint that is none", []string{"run", quickstart, "--set", "policy={kind: tinylm, model: .}"}, "tokenizer.json"},
		{"template that always refuses", []string{"run", quickstart, "--set", "policy={kind: tinylm, model: " + refusing + "}"}, "render the first prompt"},
		{"no run to verify", []string{"verify", t.TempDir()}, "manifest.json"},
		{"no rollout to inspect", []string{"inspect", finished, "zzz"}, "zzz"},
		{"tokenizer of another run", []string{"inspect", finished, "nope", "--tokenizer", "."}, "nope"},
		{"serve without a model", []string{"serve", "--model", t.TempDir(), "--addr", "127.0.0.1:0"}, "tokenizer.json"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := newDir(t)
			args := tc.args
			if args[0] == "run" && len(args) > 1 && !strings.Contains(strings.Join(args, " "), "--out") {
				args = append(args, "--out", dir)
			}
			code, out, errs := focus(t, args...)
			require.Equal(t, ExitRefused, code, "%s%s", out, errs)
			require.Contains(t, errs, tc.want)
			require.Equal(t, 1, strings.Count(errs, "\n"), "one line: %q", errs)
			require.NoDirExists(t, dir, "nothing was started")
		})
	}
}

func TestSchemaAndVersion(t *testing.T) {
	code, out, _ := focus(t, "schema")
	require.Equal(t, ExitDone, code)
	for _, want := range []string{`"max_steps"`, `"vllm"`, `"segments"`, `"$schema"`} {
		require.Contains(t, out, want)
	}
	code, out, _ = focus(t, "version", "--json")
	require.Equal(t, ExitDone, code)
	require.Contains(t, out, `"format": 2`)
}
