package rollout

// BranchPoints says at which checkpoints search may continue.
type BranchPoints interface {
	Branchable(State) bool
}

// SparseCheckpoints branches at a live root and right after a fold: the places
// where the context is short, so that a branch costs little to prefill.
type SparseCheckpoints struct{}

func (SparseCheckpoints) Branchable(s State) bool {
	if s.Done() {
		return false
	}
	last := s.Last()
	return last == nil || last.Tag == TagFold
}

// EveryDecision branches at a live root and after any turn of a live rollout.
type EveryDecision struct{}

func (EveryDecision) Branchable(s State) bool { return !s.Done() }
