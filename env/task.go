package env

import (
	"encoding/json"
	"fmt"

	"focus/rollout"
)

// NewTask is the task of a family's seed and index. The world's own seed is at;
// meta and truth are the family's own types, written as JSON. It panics when
// they cannot be written.
func NewTask(family string, seed int64, index int, at int64, meta, truth any) rollout.Task {
	return rollout.Task{
		ID:     rollout.TaskID(fmt.Sprintf("%s-%d-%d", family, seed, index)),
		Family: family, Index: index, Seed: at,
		Meta: mustJSON(meta), Truth: mustJSON(truth),
	}
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("env: write %T as JSON: %v", v, err))
	}
	return b
}

// MetaOf reads a task's Meta as T.
func MetaOf[T any](task rollout.Task) (T, error) { return read[T](task, "meta", task.Meta) }

// TruthOf reads a task's Truth as T.
func TruthOf[T any](task rollout.Task) (T, error) { return read[T](task, "truth", task.Truth) }

func read[T any](task rollout.Task, what string, b json.RawMessage) (T, error) {
	var v T
	if err := json.Unmarshal(b, &v); err != nil {
		return v, fmt.Errorf("%s of task %s: %w", what, task.ID, err)
	}
	return v, nil
}
