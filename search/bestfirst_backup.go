package search

import (
	"iter"
	"math"
)

// Backup is what rollouts that end tell the checkpoints of their path.
type Backup string

const (
	// BackupMean: Q is the mean of what came back; see [Node.Q].
	BackupMean Backup = "mean"
	// BackupDeepSearch: Q is a sum of ±1 that counts more the nearer the end it
	// is, in which a right end outdoes wrong ones (DeepSearch, arXiv 2509.25454):
	// a checkpoint at depth d of a path to an end at depth ℓ−1 is told v·max((d+1)/ℓ, 0.1).
	// What has its sign already is added to; a value below 0 is overwritten by a
	// right end, and one above 0 stays as it is whatever wrong end follows.
	//
	// The published method has rewards of +1 and −1. Here an end with a return
	// above 0 is +1 and any other −1; one without a return, and estimates of a
	// value model, tell nothing. Every end is backed up, not one an expansion.
	BackupDeepSearch Backup = "deepsearch"
)

// leastShare is the least that an end counts at a checkpoint.
const leastShare = 0.1

// backed are the values of checkpoints by DeepSearch's backup.
type backed map[NodeID]float64

// told tells the path of an end, from there up to the root, what it was worth.
func (b backed) told(end *Node, path iter.Seq[*Node]) {
	ret, ok := end.State.Return()
	if !ok || !end.State.Done() || end.Failure != nil {
		return
	}
	v := -1.0
	if ret > 0 {
		v = 1
	}
	for n := range path {
		share := math.Max(float64(n.Depth+1)/float64(end.Depth+1), leastShare)
		b[n.ID] = overwritten(b[n.ID], v*share)
	}
}

// overwritten is a value after one more end, by sign; 0 is no value yet.
func overwritten(old, v float64) float64 {
	switch {
	case old < 0 && v > 0:
		return v
	case old > 0 && v < 0:
		return old
	}
	return old + v
}
