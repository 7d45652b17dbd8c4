package fake_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"focus/bench/fake"
)

func newHTTP(tr *http.Transport) *http.Client { return &http.Client{Transport: tr} }

// statuses sends n questions with seeds 0, 0, 1, 1, … and returns the statuses.
func statuses(t *testing.T, c client, n int) []int {
	t.Helper()
	out := make([]int, n)
	for i := range out {
		q := question()
		q.Seed = int64(i / 2)
		var err error
		out[i], _, _, err = c.post(t.Context(), q)
		require.NoError(t, err)
	}
	return out
}

func TestRulesNameRequests(t *testing.T) {
	for _, tc := range []struct {
		name  string
		rules []fake.Rule
		want  []int
	}{
		{"all", []fake.Rule{{Fault: fake.HTTP503}}, []int{503, 503, 503, 503, 503, 503}},
		{"every third", []fake.Rule{{Fault: fake.HTTP503, Every: 3}}, []int{200, 200, 503, 200, 200, 503}},
		{"from and to", []fake.Rule{{Fault: fake.HTTP503, From: 1, To: 3}}, []int{200, 503, 503, 200, 200, 200}},
		{"first attempts", []fake.Rule{{Fault: fake.HTTP503, Attempts: 1}}, []int{503, 200, 503, 200, 503, 200}},
		{"match", []fake.Rule{{Fault: fake.HTTP503, Match: func(r *fake.Request) bool { return r.Seed == 2 }}}, []int{200, 200, 200, 200, 503, 503}},
		{"the first rule wins", []fake.Rule{{Fault: fake.HTTP429, To: 2}, {Fault: fake.HTTP503, To: 3}}, []int{429, 429, 503, 200, 200, 200}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, statuses(t, pipe(t, fake.Config{Rules: tc.rules}), 6))
		})
	}
}

func TestShare(t *testing.T) {
	rules := []fake.Rule{{Fault: fake.HTTP503, Share: 0.25}}
	got := statuses(t, pipe(t, fake.Config{Rules: rules}), 400)
	n := 0
	for _, status := range got {
		if status == 503 {
			n++
		}
	}
	assert.InDelta(t, 100, n, 35, "a quarter of 400, give or take four deviations")
	assert.Equal(t, got, statuses(t, pipe(t, fake.Config{Rules: rules}), 400), "the same ones every time")
	assert.NotEqual(t, got, statuses(t, pipe(t, fake.Config{Rules: rules, Seed: 1}), 400))
}

func TestParseRule(t *testing.T) {
	r, err := fake.ParseRule("http_429,every=10,from=1,to=9,share=0.5,attempts=2,delay=3s,retry_after=2")
	require.NoError(t, err)
	assert.Equal(t, fake.Rule{Fault: fake.HTTP429, Every: 10, From: 1, To: 9, Share: 0.5, Attempts: 2, Delay: 3 * time.Second, RetryAfter: "2"}, r)
	for text, words := range map[string]string{
		"":                        `unknown fault ""`,
		"explode":                 `unknown fault "explode"`,
		"stall,often=1":           "often: unknown condition",
		"stall,every=x":           "every:",
		"stall,share=2":           "share must be in [0, 1]",
		"reset_before,attempts=1": "cannot depend on a request that is not read",
	} {
		_, err := fake.ParseRule(text)
		assert.ErrorContains(t, err, words, "rule %q", text)
	}
}
