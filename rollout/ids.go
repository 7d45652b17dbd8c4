package rollout

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Ids are derived by hash, not minted, so that a job that runs again names the
// same things the same way.
type (
	// RunID names one job with one configuration.
	RunID string
	// TaskID names a task within its data set.
	TaskID string
	// GroupID names the rollouts of one task that share a baseline.
	GroupID string
	// TreeID names a search tree; a rollout without search is a tree of one line.
	TreeID string
	// RolloutID names one line from the root to an end.
	RolloutID string
	// SampleID names one training row.
	SampleID string
	// PolicyVersion names the weights that produced a span of tokens.
	PolicyVersion string
)

// digest hashes parts with their lengths, so that no two lists of parts run
// into each other.
func digest(parts ...string) [sha256.Size]byte {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// DeriveID is the first 16 hex digits of the hash of parts.
func DeriveID(parts ...string) string {
	sum := digest(parts...)
	return hex.EncodeToString(sum[:8])
}

// DeriveSeed hashes parts to a seed in [0, 2^63), the range that every server
// takes. A request's parts are run seed, task, node, turn and segment: a seed
// used twice replays the same noise and breaks the sampling law.
func DeriveSeed(parts ...string) int64 {
	sum := digest(parts...)
	return int64(binary.LittleEndian.Uint64(sum[:8]) >> 1)
}
