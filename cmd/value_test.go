package cmd

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/dataset"
	"focus/rollout"
)

const valueJob = `
seed: 3
tasks: {count: 2}
env: {kind: calculator}
policy: {kind: tinylm}
search: {kind: tree-grpo, trees: 2, nodes: 1, keep: 0}
agent: {max_steps: 3, max_tokens: 48}
`

// valueServer scores every state by the length of its prompt, and fails every
// so-many-th request; 0 never does.
func valueServer(t *testing.T, failing int) (url string, prompts func() [][]rollout.TokenID) {
	var mu sync.Mutex
	var seen [][]rollout.TokenID
	requests := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			States []struct {
				TaskID   string            `json:"task_id"`
				Turns    int               `json:"turns"`
				TokenIDs []rollout.TokenID `json:"token_ids"`
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if requests++; failing > 0 && requests%failing == 0 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		values := []float64{}
		for _, s := range asked.States {
			seen = append(seen, s.TokenIDs)
			values = append(values, float64(len(s.TokenIDs)))
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"values": values}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, func() [][]rollout.TokenID {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

// The value model is asked about what the policy would be sent next: each
// prompt but the first is the exact prefix of a turn, unless search left the
// checkpoint.
func TestValueModelSeesTheNextPrompt(t *testing.T) {
	url, prompts := valueServer(t, 0)
	dir := newDir(t)
	sum := ran(t, jobFile(t, valueJob+"value: {kind: http, url: \""+url+"\", batch: 4, wait: 1ms}\n"), "--out", dir)
	require.Positive(t, sum.Valued)
	require.Zero(t, sum.Unvalued)
	require.Empty(t, sum.ValueFailures)
	require.Len(t, prompts(), sum.Valued+1, "one more at the start, of the first task")
	run, err := dataset.Read(dir)
	require.NoError(t, err)
	sent := map[string]bool{}
	for s, err := range run.Samples() {
		require.NoError(t, err)
		for _, turn := range s.Info.Turns {
			sent[key(s.TokenIDs[:turn.At])] = true
		}
	}
	for _, p := range prompts() {
		require.True(t, sent[key(p)], "no turn was sent the %d ids that were scored", len(p))
	}
}

func key(ids []rollout.TokenID) string {
	b := make([]byte, 0, 2*len(ids))
	for _, id := range ids {
		b = append(b, byte(id), byte(id>>8))
	}
	return string(b)
}

func TestMissingValuesAreCountedAndFailNothing(t *testing.T) {
	url, _ := valueServer(t, 3)
	sum := ran(t, jobFile(t, valueJob+"value: {kind: http, url: \""+url+"\", batch: 1}\n"), "--out", newDir(t))
	require.Positive(t, sum.Valued)
	require.Positive(t, sum.Unvalued)
	require.Equal(t, map[string]int{"status": sum.Unvalued}, sum.ValueFailures)
	require.Zero(t, sum.Failed)
	url, _ = valueServer(t, 3)
	code, out, errs := focus(t, "run", "--quiet", jobFile(t, valueJob+"value: {kind: http, url: \""+url+"\", batch: 1}\n"), "--out", newDir(t))
	require.Equal(t, ExitDone, code, errs)
	require.Regexp(t, `values +\d+ of \d+ checkpoints have one`, out)
	require.Regexp(t, `no value +status \d+`, out)
}

func TestValueModelThatIsNotThereIsRefused(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	url := srv.URL
	refuse := func(value, want string) {
		t.Helper()
		code, _, errs := focus(t, "run", jobFile(t, valueJob+"value: "+value+"\n"), "--out", newDir(t))
		require.NotEqual(t, ExitDone, code)
		require.Contains(t, errs, want)
	}
	refuse(`{kind: http, url: "`+url+`"}`, `value.url: the value model at `+url+` gives no score (status: status 404: "404 page not found"); start it, or leave the section out`)
	srv.Close()
	refuse(`{kind: http, url: "`+url+`"}`, `value.url: the value model at `+url+` gives no score (unreachable: `)
	refuse(`{kind: http}`, "value.url: missing")
	refuse(`{kind: http, url: "`+url+`", batch: 0}`, "value.batch: 0, must be at least 1")
	refuse(`{kind: http, url: "`+url+`", wiat: 1s}`, `value.wiat: unknown key; did you mean "wait"?`)
}
