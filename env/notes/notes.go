package notes

import (
	"context"
	"fmt"
	"strings"

	"focus/env"
	"focus/rollout"
)

// Name is the family's name in task ids and configurations.
const Name = "notes"

const system = "Find what is asked in the notes: search a name, read the note, follow it. Then submit."

// Family makes tasks and plays them. It implements env.Family.
type Family struct {
	*env.ToolEnv[state]
	cfg Config
}

// state follows from the task; nothing that a policy does changes it.
type state struct{ *corpus }

// MarshalJSON writes nothing: the corpus is made again from the task.
func (state) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }

// Problem is a task's Meta.
type Problem struct {
	Question string `json:"question"`
	Key      string `json:"key"`
}

// Truth is a task's ground truth.
type Truth struct {
	Answer string `json:"answer"`
}

// New checks the configuration and builds the family.
func New(cfg Config) (*Family, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	f := &Family{cfg: cfg.withDefaults()}
	var err error
	f.ToolEnv, err = env.NewToolEnv(env.ToolConfig[state]{
		Name:   Name,
		Tools:  []env.Tool[state]{searchTool(), readTool(), submitTool()},
		Open:   f.open,
		Answer: func(s state, reply string) float64 { return score(s, lastWord(reply)) },
		Nudge:  "Call search, read or submit.",
		Score:  func(state) float64 { return 0 },
		Limits: f.cfg.Limits,
	})
	return f, err
}

// Task draws the corpus and the question of an index.
func (f *Family) Task(seed int64, index int) rollout.Task {
	at := f.cfg.Split.Seed(Name, seed, index, func(at int64) string { return newCorpus(f.cfg, at).key })
	c := newCorpus(f.cfg, at)
	return env.NewTask(Name, seed, index, at, Problem{c.question, c.key}, Truth{c.answer})
}

// Key names the problem of a task: two tasks with the same key ask for the
// same chain of facts.
func Key(task rollout.Task) (string, error) {
	p, err := env.MetaOf[Problem](task)
	return p.Key, err
}

func (f *Family) open(_ context.Context, task rollout.Task) (state, []rollout.Message, error) {
	p, err := env.MetaOf[Problem](task)
	if err != nil {
		return state{}, nil, err
	}
	t, err := env.TruthOf[Truth](task)
	if err != nil {
		return state{}, nil, err
	}
	c := newCorpus(f.cfg, task.Seed)
	if c.question != p.Question || c.answer != t.Answer {
		return state{}, nil, fmt.Errorf("seed %d asks for %s here and for %s in the task: it was made with other settings", task.Seed, c.question, p.Question)
	}
	return state{c}, []rollout.Message{rollout.System(system), rollout.User("Find\n" + c.question)}, nil
}

// lastWord is the answer within a final reply in words.
func lastWord(reply string) string {
	words := strings.Fields(reply)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

func score(s state, answer string) float64 {
	if strings.EqualFold(strings.Trim(answer, " .\n"), s.answer) {
		return 1
	}
	return 0
}
