package rollout

// StopReason says why a rollout ended. The empty reason means that it has not.
type StopReason string

const (
	StopAnswered      StopReason = "answered"
	StopEnvDone       StopReason = "env_done"
	StopMaxSteps      StopReason = "max_steps"
	StopMaxTokens     StopReason = "max_tokens"
	StopContextFull   StopReason = "context_full"
	StopParseFailures StopReason = "parse_failures"
	StopFoldFailed    StopReason = "fold_failed"
	StopFoldStuck     StopReason = "fold_stuck"
	StopTimeLimit     StopReason = "time_limit"
	StopTaskFailed    StopReason = "task_failed"
	StopCancelled     StopReason = "cancelled"
	StopFailed        StopReason = "failed"
)

var stopSentences = map[StopReason]string{
	StopAnswered:      "The policy gave its final answer.",
	StopEnvDone:       "The world ended the episode.",
	StopMaxSteps:      "The step budget was spent before the world ended the episode.",
	StopMaxTokens:     "The rollout's token budget was spent in the middle of a reply.",
	StopContextFull:   "The prompt left no room for a reply in the model's window.",
	StopParseFailures: "The policy made too many unusable attempts in a row.",
	StopFoldFailed:    "A fold produced no usable notes.",
	StopFoldStuck:     "The compaction trigger fired again right after its own relief.",
	StopTimeLimit:     "The policy ran into a time limit by its own actions.",
	StopTaskFailed:    "The world failed in a way that belongs to the task.",
	StopCancelled:     "The job was stopped before the rollout ended.",
	StopFailed:        "The infrastructure failed; the rollout has no reward.",
}

// StopReasons lists every reason with its sentence.
func StopReasons() map[StopReason]string {
	out := make(map[StopReason]string, len(stopSentences))
	for r, s := range stopSentences {
		out[r] = s
	}
	return out
}

// Sentence says in words what the reason means; empty for an unknown reason.
func (r StopReason) Sentence() string { return stopSentences[r] }

// Truncated reports whether the rollout was cut short of an end of its own.
func (r StopReason) Truncated() bool {
	switch r {
	case StopMaxSteps, StopMaxTokens, StopContextFull, StopFoldStuck, StopTimeLimit:
		return true
	}
	return false
}

// Scored reports whether a rollout that ended so may carry a reward.
func (r StopReason) Scored() bool { return r != StopCancelled && r != StopFailed }
