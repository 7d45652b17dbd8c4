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

// NoWorkspaces gives every rollout a nil workspace.
func NoWorkspaces() Workspaces { return noWorkspaces{} }

type noWorkspaces struct{}

func (noWorkspaces) Open(context.Context, rollout.Task) (rollout.Workspace, error) { return nil, nil }

func (noWorkspaces) Restore(context.Context, rollout.Task, []byte) (rollout.Workspace, error) {
	return nil, nil
}
