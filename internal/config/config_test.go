package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type world struct {
	Ops  int    `yaml:"max_ops"`
	Name string `yaml:"name"`
}

func (w world) Validate() error {
	if w.Ops > 12 {
		return fmt.Errorf("max_ops: %d is more than 12", w.Ops)
	}
	return nil
}

type inner struct {
	MaxSteps int           `yaml:"max_steps"`
	Timeout  time.Duration `yaml:"timeout"`
	Final    *bool         `yaml:"final"`
	Stops    []string      `yaml:"stops"`
}

type sample struct {
	Seed  int64   `yaml:"seed"`
	Temp  float64 `yaml:"temperature"`
	Agent inner   `yaml:"agent"`
	Env   Section `yaml:"env"`
}

func read(t *testing.T, text string, set ...string) (sample, error) {
	t.Helper()
	doc, err := Parse("job.yaml", []byte(text))
	if err != nil {
		return sample{}, err
	}
	for _, s := range set {
		if err := doc.Set(s); err != nil {
			return sample{}, err
		}
	}
	var out sample
	return out, doc.Decode(&out)
}

func TestDecode(t *testing.T) {
	got, err := read(t, `
seed: 7
temperature: 1
agent: {max_steps: 4, timeout: 1m30s, final: false, stops: [a, b]}
env: {kind: calculator, max_ops: 3}
`)
	require.NoError(t, err)
	require.Equal(t, int64(7), got.Seed)
	require.Equal(t, 1.0, got.Temp)
	require.Equal(t, 4, got.Agent.MaxSteps)
	require.Equal(t, 90*time.Second, got.Agent.Timeout)
	require.False(t, *got.Agent.Final)
	require.Equal(t, []string{"a", "b"}, got.Agent.Stops)
	require.Equal(t, "calculator", got.Env.Kind)
}

func TestBadInputIsNamed(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"unknown key", "agent:\n  max_stepz: 3", `job.yaml: agent.max_stepz: unknown key; did you mean "max_steps"? (line 2)`},
		{"unknown key, nothing near", "zzzzzzzz: 1", `job.yaml: zzzzzzzz: unknown key (line 1)`},
		{"text for a number", "seed: seven", `job.yaml: seed: "seven" is not a whole number (line 1)`},
		{"quoted number", `seed: "7"`, `job.yaml: seed: "7" is not a whole number (line 1)`},
		{"fraction for a whole number", "seed: 1.5", `job.yaml: seed: "1.5" is not a whole number (line 1)`},
		{"infinity", "temperature: -.inf", `job.yaml: temperature: "-.inf" is not a finite number (line 1)`},
		{"no number", "temperature: .nan", `job.yaml: temperature: ".nan" is not a finite number (line 1)`},
		{"bad duration", "agent: {timeout: 5 parsecs}", `job.yaml: agent.timeout: "5 parsecs" is not a duration such as 30s (line 1)`},
		{"number for text", "agent: {stops: [1]}", `job.yaml: agent.stops[0]: "1" is not text (quote it) (line 1)`},
		{"scalar for a list", "agent: {stops: a}", `job.yaml: agent.stops: "a" is not a list (line 1)`},
		{"scalar for a mapping", "agent: 3", `job.yaml: agent: "3" is not a mapping (line 1)`},
		{"missing value", "seed:", `job.yaml: seed: the value is missing (line 1)`},
		{"twice", "seed: 1\nseed: 2", `job.yaml: seed: the key appears twice (line 2)`},
		{"kind of the wrong form", "env: {kind: [a]}", `job.yaml: env.kind: is not the name of a kind (line 1)`},
		{"list at the top", "- 1", `job.yaml: a job file is a mapping of keys to values`},
		{"empty", "", `job.yaml: the file is empty`},
		{"two documents", "seed: 1\n---\nseed: 2", `job.yaml: the file holds more than one document; keep one job per file`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := read(t, tc.text)
			require.EqualError(t, err, tc.want)
		})
	}
	_, err := read(t, "seed: a\nagent: {max_steps: b}")
	require.ErrorContains(t, err, "seed:")
	require.ErrorContains(t, err, "agent.max_steps:", "every problem is reported at once")
	_, err = read(t, "a: [")
	require.ErrorContains(t, err, "job.yaml: ")
}

func TestSet(t *testing.T) {
	got, err := read(t, "seed: 1\nenv: calculator", "seed=2", "agent.max_steps=9", "agent.stops=[x]", "env={kind: notes}")
	require.NoError(t, err)
	require.Equal(t, int64(2), got.Seed)
	require.Equal(t, 9, got.Agent.MaxSteps)
	require.Equal(t, []string{"x"}, got.Agent.Stops)
	require.Equal(t, "notes", got.Env.Kind)

	for _, tc := range []struct{ set, want string }{
		{"seed", "--set seed: want key.path=value"},
		{"seed.x=1", "--set seed.x=1: seed is not a mapping"},
		{"seed=[", "--set seed=[: the value is not YAML"},
		{"sed=1", `job.yaml: sed: unknown key; did you mean "seed"?`},
	} {
		_, err := read(t, "seed: 1", tc.set)
		require.ErrorContains(t, err, tc.want)
	}
}

func registry() *Registry[int, string] {
	r := &Registry[int, string]{What: "environment"}
	Register(r, "calculator", "sums", func(d int, c world) (string, error) {
		if c.Name == "bad" {
			return "", errors.New("name: bad is taken")
		}
		return fmt.Sprintf("%d/%d", d, c.Ops), nil
	})
	return r
}

func TestRegistry(t *testing.T) {
	build := func(text string) (string, error) {
		s, err := read(t, text)
		require.NoError(t, err)
		return registry().Build(5, s.Env)
	}
	got, err := build("env: {kind: calculator, max_ops: 3}")
	require.NoError(t, err)
	require.Equal(t, "5/3", got)
	got, err = build("env: calculator")
	require.NoError(t, err)
	require.Equal(t, "5/0", got)

	for _, tc := range []struct{ name, text, want string }{
		{"unknown kind", "env: {kind: calculater}", `env.kind: no environment of kind "calculater"; did you mean "calculator"? (known: calculator) (line 1)`},
		{"no kind", "env: {max_ops: 1}", `env: kind is missing: say which environment (known: calculator) (line 1)`},
		{"unknown key", "env: {kind: calculator, max_op: 1}", `env.max_op: unknown key; did you mean "max_ops"? (line 1)`},
		{"validate", "env: {kind: calculator, max_ops: 13}", `env.max_ops: 13 is more than 12 (line 1)`},
		{"build", "env: {kind: calculator, name: bad}", `env.name: bad is taken (line 1)`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := build(tc.text)
			require.EqualError(t, err, tc.want)
		})
	}
}

func TestSchemaKnowsTheKeysOfTheDecoder(t *testing.T) {
	b, err := json.Marshal(SchemaOf(sample{}, map[string]Schema{"env": registry().Schema()}))
	require.NoError(t, err)
	for _, want := range []string{`"max_steps":{"type":"integer"}`, `"const":"calculator"`, `"max_ops"`, `"additionalProperties":false`} {
		require.Contains(t, string(b), want)
	}
}

func TestJSONLeavesKeysOut(t *testing.T) {
	doc, err := Parse("job.yaml", []byte("seed: 1\noutput: {dir: x}\nagent: {max_steps: 2}"))
	require.NoError(t, err)
	b, err := doc.JSON("output")
	require.NoError(t, err)
	require.JSONEq(t, `{"seed":1,"agent":{"max_steps":2}}`, string(b))
}

// FuzzParse holds the decoder to its one promise: an error or a value, no panic.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"seed: 1", "agent: {max_steps: 1}", "a: &x [*x]", "env: {kind: k}", "env: [1]", "? {a: b} : c"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := Parse("f", text)
		if err != nil {
			return
		}
		var s sample
		if doc.Decode(&s) == nil {
			_, _ = doc.JSON()
			_, _ = registry().Build(0, s.Env)
		}
	})
}

func TestSectionAsJSONHasItsDefaults(t *testing.T) {
	type nested struct {
		world   `yaml:",inline"`
		Ops     int               `yaml:"max_ops"` // the decoder fills the first
		Wait    time.Duration     `yaml:"wait"`
		Prior   *float64          `yaml:"prior"`
		Final   *bool             `yaml:"final"`
		Trigger Section           `yaml:"trigger"`
		List    []world           `yaml:"list"`
		Names   map[string]string `yaml:"names"`
	}
	yes := true
	r := &Registry[int, string]{}
	RegisterDefaults(r, "mine", "", nested{world: world{Ops: 3}, Wait: time.Minute, Final: &yes, List: []world{{Ops: 1}}, Names: map[string]string{"a": "b"}},
		func(int, nested) (string, error) { return "", nil })
	s, err := read(t, "env: {kind: mine, name: \"a:b\", trigger: {kind: any}}")
	require.NoError(t, err)
	b, err := r.JSON(s.Env)
	require.NoError(t, err)
	require.Equal(t, `{"final":true,"list":[{"max_ops":1,"name":""}],"max_ops":3,"name":"a:b","names":{"a":"b"},"prior":null,"trigger":"any","wait":"1m0s"}`, string(b))
	_, err = r.JSON(Section{Kind: "none"})
	require.Error(t, err)
}
