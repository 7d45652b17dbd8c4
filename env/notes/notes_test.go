package notes_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/env"
	"focus/env/envtest"
	"focus/env/expert"
	"focus/env/notes"
	"focus/rollout"
)

func family(t *testing.T, cfg notes.Config) *notes.Family {
	t.Helper()
	f, err := notes.New(cfg)
	require.NoError(t, err)
	return f
}

// solve plays the family at hand; the expert needs nothing but the talk.
func solve(t *testing.T, f env.Family, task rollout.Task) []rollout.Action {
	e, err := expert.New(notes.Name, expert.Options{})
	require.NoError(t, err)
	e.Family = f
	script, err := expert.Script(t.Context(), e, task)
	require.NoError(t, err)
	return script
}

func TestConformance(t *testing.T) {
	for _, tc := range []struct {
		name string
		cfg  notes.Config
	}{
		{"short", notes.Config{}},
		{"three hops", notes.Config{MaxHops: 3}},
		{"long", notes.Long()},
	} {
		t.Run(tc.name, func(t *testing.T) {
			envtest.RunFamily(t, func(t *testing.T) env.Family { return family(t, tc.cfg) }, solve)
		})
	}
}

// talk is all that the world says on the way to the answer, in bytes.
func talk(t *testing.T, f *notes.Family, task rollout.Task) int {
	start, err := f.Reset(t.Context(), task)
	require.NoError(t, err)
	size, w := 0, start.World
	for _, a := range solve(t, f, task) {
		var tr *rollout.Transition
		w, tr, err = f.Step(t.Context(), w, a)
		require.NoError(t, err)
		for _, o := range tr.Observations {
			size += len(o.Content)
		}
	}
	return size
}

// A tokenizer of 640 pieces needs a token for about 2.5 bytes of notes; at 3,
// the long ones still overflow a window of 2,048.
func TestLongOverflowsTheWindow(t *testing.T) {
	long, short := family(t, notes.Config{Size: "long"}), family(t, notes.Config{})
	for i := range 20 {
		require.Greater(t, talk(t, long, long.Task(1, i)), 3*2048, "long task %d", i)
		require.Less(t, talk(t, short, short.Task(1, i)), 2048, "short task %d", i)
	}
}

func TestQuestionsHaveOneAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := notes.Config{
			MinHops: rapid.IntRange(1, 4).Draw(t, "min_hops"), People: rapid.IntRange(6, 60).Draw(t, "people"),
			Facts: rapid.IntRange(2, 12).Draw(t, "facts"), Filler: rapid.IntRange(0, 5).Draw(t, "filler"),
		}
		cfg.MaxHops = rapid.IntRange(cfg.MinHops, 6).Draw(t, "max_hops")
		f, err := notes.New(cfg)
		if err != nil {
			t.Fatalf("configuration %+v: %v", cfg, err)
		}
		task := f.Task(rapid.Int64().Draw(t, "seed"), rapid.IntRange(0, 100).Draw(t, "index"))
		p, err := env.MetaOf[notes.Problem](task)
		if err != nil {
			t.Fatal(err)
		}
		if hops := strings.Count(p.Question, "."); hops < cfg.MinHops || hops > cfg.MaxHops {
			t.Fatalf("%s has %d hops, want %d to %d", p.Question, hops, cfg.MinHops, cfg.MaxHops)
		}
		met := map[string]bool{}
		for part := range strings.SplitSeq(p.Key, "=") {
			name, _, _ := strings.Cut(part, ".")
			if met[name] {
				t.Fatalf("%s meets %s twice", p.Key, name)
			}
			met[name] = true
		}
	})
}

func call(name, arguments string) rollout.Calls {
	return rollout.Calls{Calls: []rollout.ToolCall{{ID: "c", Name: name, Arguments: json.RawMessage(arguments)}}}
}

func TestCalls(t *testing.T) {
	f := family(t, notes.Config{Filler: 2})
	task := f.Task(3, 0)
	p, err := env.MetaOf[notes.Problem](task)
	require.NoError(t, err)
	truth, err := env.TruthOf[notes.Truth](task)
	require.NoError(t, err)
	name, _, _ := strings.Cut(p.Question, ".")
	start, err := f.Reset(t.Context(), task)
	require.NoError(t, err)
	say := func(c rollout.Calls) *rollout.Transition {
		_, tr, err := f.Step(t.Context(), start.World, c)
		require.NoError(t, err)
		return tr
	}
	found := say(call("search", `{"query":" `+strings.ToLower(name)+`"}`)).Observations[0].Content
	require.Regexp(t, `^`+name+`=[1-9][0-9]$`, found)
	_, id, _ := strings.Cut(found, "=")
	note := strings.Split(say(call("read", `{"id":`+id+`}`)).Observations[0].Content, "\n")
	require.Equal(t, name, note[0])
	require.Len(t, note, 1+4+2, "name, facts, filler")
	require.True(t, slices.ContainsFunc(note, func(l string) bool { return strings.HasSuffix(l, "="+truth.Answer) }))
	require.Len(t, strings.Split(say(call("search", `{"query":"a"}`)).Observations[0].Content, "\n"), 5, "a search shows at most five")
	for _, tc := range []struct {
		name string
		call rollout.Calls
		want string
	}{
		{"nobody", call("search", `{"query":"Nobody"}`), "error: no name matches"},
		{"an empty query", call("search", `{"query":" "}`), "error: no name matches"},
		{"no note", call("read", `{"id":1}`), "error: no note 1"},
		{"an id in words", call("read", `{"id":"`+id+`"}`), "error: read: id: got string, want integer"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr := say(tc.call)
			require.Equal(t, tc.want, tr.Observations[0].Content)
			require.False(t, tr.Done)
			require.NotNil(t, tr.Failure)
		})
	}
	for answer, outcome := range map[string]float64{truth.Answer: 1, " " + strings.ToUpper(truth.Answer) + ".": 1, "x" + truth.Answer: 0, "": 0} {
		tr := say(call("submit", `{"answer":"`+answer+`"}`))
		require.True(t, tr.Done)
		require.Equal(t, outcome, *tr.Outcome, "answer %q", answer)
	}
}

// A task of other settings must not be played over another corpus.
func TestTasksOfOtherSettingsAreRefused(t *testing.T) {
	task := family(t, notes.Config{People: 20}).Task(1, 0)
	_, err := family(t, notes.Config{}).Reset(t.Context(), task)
	require.ErrorContains(t, err, "made with other settings")
}

func TestValidateReportsEveryProblem(t *testing.T) {
	err := notes.Config{Size: "huge", MinHops: 9, MaxHops: 8, People: 1, Facts: 13, Filler: -1, Split: "half"}.Validate()
	require.Error(t, err)
	for _, key := range []string{"size", "min_hops", "people", "max_hops", "facts", "filler", "split"} {
		require.Contains(t, err.Error(), key+":")
	}
}

// What remains of a chain is found again by its relation, so none comes twice.
func TestRelationsComeOnce(t *testing.T) {
	f := family(t, notes.Config{MinHops: 4, MaxHops: 7, People: 20, Facts: 12})
	for i := range 50 {
		p, err := env.MetaOf[notes.Problem](f.Task(1, i))
		require.NoError(t, err)
		relations := strings.Split(p.Question, ".")
		relations = relations[1 : len(relations)-1]
		slices.Sort(relations)
		require.Equal(t, slices.Compact(slices.Clone(relations)), relations, p.Question)
	}
}
