package env

// Immutable is an environment whose World.State is an immutable value: any
// checkpoint may be gone on from, as often as one likes.
type Immutable interface{ Immutable() }

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
