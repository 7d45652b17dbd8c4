package env

import (
	"context"

	"focus/rollout"
)

// Workspaces makes the workspaces of rollouts. It is shared by all rollouts
// and safe for concurrent use.
type Workspaces interface {
	// Open makes the workspace of a rollout that starts.
	Open(ctx context.Context, task rollout.Task) (rollout.Workspace, error)
	// Restore makes one with the content that [WorkspaceSnapshotter] wrote.
	Restore(ctx context.Context, task rollout.Task, content []byte) (rollout.Workspace, error)
}

// Store is a workspace of named contents, such as a [Memory] or a [Directory].
// What a policy can cause (a name that is not there, one that leads outside,
// too much content) is a [Refusal]; another error means that the store broke.
// It is safe for concurrent use.
type Store interface {
	rollout.Workspace
	// Read copies out what is under a name.
	Read(name string) ([]byte, error)
	// Write puts content under a name, in place of what was there.
	Write(name string, content []byte) error
	// List is the names in order.
	List() ([]string, error)
}

// The causes of refusals by a [Store].
const (
	CauseNotFound = "not_found"
	CauseBadName  = "bad_name"
	CauseFull     = "workspace_full"
)

// NoWorkspaces gives every rollout a nil workspace.
func NoWorkspaces() Workspaces { return noWorkspaces{} }

type noWorkspaces struct{}

func (noWorkspaces) Open(context.Context, rollout.Task) (rollout.Workspace, error) { return nil, nil }

func (noWorkspaces) Restore(context.Context, rollout.Task, []byte) (rollout.Workspace, error) {
	return nil, nil
}
