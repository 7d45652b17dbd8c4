package dataset_test

import (
	"fmt"
	"os"

	"focus/dataset"
	"focus/rollout"
)

// One rollout of one turn, written, proved and read back.
func Example() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	one := 1.0
	turn := rollout.NewTurn(rollout.NewTokens(1, 2, 3), rollout.Completion{
		Tokens: []rollout.TokenID{4, 5}, Logprobs: []float32{-0.5, -0.25}, Finish: rollout.FinishStop, Exact: true,
	})
	turn.Transition = &rollout.Transition{Done: true, Stop: rollout.StopAnswered, Outcome: &one}
	task := rollout.Task{ID: "1+1"}
	leaf := rollout.NewState(task, nil, nil, nil).WithTurn(turn)

	w, err := dataset.Create(dataset.Config{Dir: dir, Metadata: dataset.Metadata{RunID: "example"}})
	if err != nil {
		panic(err)
	}
	rows, err := dataset.Build(dataset.Group{ID: "g", Task: task, Trees: []dataset.Tree{{
		ID:    "t",
		Edges: []dataset.Edge{{Node: 0, Parent: dataset.NoParent}, {Node: 1, Parent: 0, Turns: []*rollout.Turn{turn}}},
		Lines: []dataset.Line{{ID: "r", State: leaf, Branch: []int32{0, 1}}},
	}}})
	if err != nil {
		panic(err)
	}
	if err := w.Write(rows); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}

	report, err := dataset.Verify(dir)
	if err != nil {
		panic(err)
	}
	fmt.Println(report.OK(), report.Samples, report.LossTokens)
	run, err := dataset.Read(dir)
	if err != nil {
		panic(err)
	}
	for s, err := range run.Samples() {
		if err != nil {
			panic(err)
		}
		fmt.Println(s.TokenIDs, s.LossMask, *s.Reward)
	}
	// Output:
	// true 1 2
	// [1 2 3 4 5] [0 0 0 1 1] 1
}

func ExampleTasks() {
	f, err := os.CreateTemp("", "tasks*.jsonl")
	if err != nil {
		panic(err)
	}
	defer os.Remove(f.Name())
	fmt.Fprintln(f, `{"id": "sum", "prompt": "1+1?", "answer": 2, "level": "easy"}`)
	if err := f.Close(); err != nil {
		panic(err)
	}
	for task, err := range dataset.Tasks(f.Name()) {
		if err != nil {
			panic(err)
		}
		fmt.Println(task.ID, task.Messages[0].Content, string(task.Truth), string(task.Meta))
	}
	// Output: sum 1+1? 2 {"level":"easy"}
}
