package env

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"

	"focus/rollout"
)

// Immutable is an environment whose World.State is an immutable value: any
// checkpoint may be gone on from, as often as one likes. Such a state holds
// nothing that has to be closed.
type Immutable interface{ Immutable() }

// Forker is an environment whose sessions live outside and can be forked. A
// session has a state after each step. Where a session holds something, its
// states are an io.Closer; closing any of them closes the session.
//
// Every session that Reset or Fork made is closed exactly once, by whoever plays
// the rollouts: when its rollout has ended, or else when nobody will go on from
// it any more. The workspaces beside them are closed the same way.
type Forker interface {
	// Fork makes another session, and workspace, that are as those of w. What is
	// done in one of them is never seen in the other. It is called as often as a
	// checkpoint is gone on from, also at once, and never while w is stepped. On
	// an error nothing was made.
	Fork(ctx context.Context, w World) (World, error)
}

// Replayer is an environment that may be rebuilt by replaying recorded actions:
// a branch resets the world and steps it again. Its sessions are closed as those
// of a [Forker] are.
type Replayer interface {
	// ObservationHash is compared between the record and the replay: it leaves
	// out what may differ between two worlds that are the same. [HashObservations]
	// leaves out nothing.
	ObservationHash(t *rollout.Transition) string
}

// HashObservations hashes all that a transition said to the policy.
func HashObservations(t *rollout.Transition) string {
	b, err := json.Marshal(t.Observations)
	if err != nil {
		return "not JSON: " + err.Error()
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// Branching is how a world is branched past its start.
type Branching string

const (
	// ByValue: the state is a value; branching copies the workspace alone.
	ByValue Branching = "value"
	// ByFork: the session lives outside and is forked.
	ByFork Branching = "fork"
	// ByReplay: the world is reset and the recorded actions are applied again.
	ByReplay Branching = "replay"
	// RootOnly: a branch can only start over.
	RootOnly Branching = "root"
)

// BranchingOf is the cheapest way that e offers.
func BranchingOf(e Env) Branching {
	switch e.(type) {
	case Immutable:
		return ByValue
	case Forker:
		return ByFork
	case Replayer:
		return ByReplay
	}
	return RootOnly
}

// Close releases what a world that nobody goes on from holds outside of values:
// its workspace and its session.
func (w World) Close() error {
	var errs []error
	if w.Workspace != nil {
		errs = append(errs, w.Workspace.Close())
	}
	if c, ok := w.State.(io.Closer); ok {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
