package rollout

import "encoding/json"

// Task is one prompt with its ground truth and seeds.
type Task struct {
	ID TaskID
	// Family is the bundled family or the data set the task comes from.
	Family string
	// Index is the row within the data set, from 0.
	Index int
	// Origin is where the task was read, such as tasks.jsonl:7; for errors, and
	// written nowhere.
	Origin string
	// Seed is the world's own source of randomness for this task.
	Seed int64
	// Messages is the seed conversation of a task read from a file; empty when
	// the world writes it in Reset.
	Messages []Message
	// Truth is the ground truth, as JSON.
	Truth json.RawMessage
	// Meta is whatever else the row had, as a JSON object.
	Meta json.RawMessage
}

// Workspace is the one mutable thing of a rollout: files, notes, a sandbox.
// What else it can do is found by type assertion; see package env.
type Workspace interface {
	// Fork copies the workspace, so that neither side sees the other's writes.
	Fork() (Workspace, error)
	// Close releases it.
	Close() error
}
