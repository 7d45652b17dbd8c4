package rollout

// BranchPoints says at which checkpoints search may continue.
type BranchPoints interface {
	Branchable(State) bool
}

// SparseCheckpoints branches at a live root and right after a compaction, with a
// fold or without: the places where the context is short, so that a branch costs
// little to prefill.
type SparseCheckpoints struct{}

func (SparseCheckpoints) Branchable(s State) bool {
	if s.Done() {
		return false
	}
	return s.Len() == 0 || s.Last().Tag == TagFold || s.Compactions > 0 && s.CompactedAt == s.Len()
}

// EveryDecision branches at a live root and after any turn of a live rollout.
type EveryDecision struct{}

func (EveryDecision) Branchable(s State) bool { return !s.Done() }
