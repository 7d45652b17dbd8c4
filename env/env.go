package env

import (
	"context"

	"focus/rollout"
)

// World is what a rollout holds of its environment.
type World struct {
	// State is an immutable value of the environment's own type, or stands for
	// a session that lives outside; see [Forker]. A state that has named
	// counters implements [Counters].
	State any
	// Workspace is the mutable part; nil when there is none.
	Workspace rollout.Workspace
}

// Start is a world before the first decision.
type Start struct {
	World World
	// Messages is the seed conversation: system prompt and task.
	Messages []rollout.Message
}

// Env is a world that tasks are played in. It is shared by all rollouts and
// safe for concurrent use; what belongs to one rollout is in its World.
//
// What the policy can cause is a value in the transition. An error means that
// the environment itself broke: it is an infrastructure failure, is retried,
// and is never scored.
type Env interface {
	// Reset makes the world of a task. The same task gives the same world.
	Reset(ctx context.Context, task rollout.Task) (Start, error)
	// Step applies an action. It does not change w.State; it may write to the
	// workspace.
	Step(ctx context.Context, w World, a rollout.Action) (World, *rollout.Transition, error)
	// Finish applies the reply of the final-answer turn. Its transition is done.
	Finish(ctx context.Context, w World, a rollout.Action) (World, *rollout.Transition, error)
}

// TaskChecker is an environment that can tell, without playing it, whether a
// task from a file can be played in it.
type TaskChecker interface {
	// CheckTask names what the task lacks.
	CheckTask(ctx context.Context, task rollout.Task) error
}

// Tooled is an environment that offers tools.
type Tooled interface{ Tools() []rollout.ToolSchema }

// Counters is a world state with named counters, such as the calls_remaining
// and calls_max of [RoundBudget]. Setting yields another state.
type Counters interface {
	Counter(name string) (value int, ok bool)
	WithCounter(name string, value int) any
}

// Snapshotter writes a world's state to bytes and back.
type Snapshotter interface {
	Snapshot(w World) ([]byte, error)
	Restore(ctx context.Context, task rollout.Task, b []byte) (World, error)
}

// Family is an environment that makes its own tasks from a seed, without end.
type Family interface {
	Env
	// Task is the task of an index: the same seed and index give the same task.
	Task(seed int64, index int) rollout.Task
}
