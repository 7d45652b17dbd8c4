package dataset

import (
	"bytes"
	"encoding/json"

	"focus/rollout"
)

// Why a row must not be trained on.
const (
	// InvalidFailed: the infrastructure failed the rollout, or the job stopped.
	InvalidFailed = "failed"
	// InvalidProbe: the rollout only estimated a value.
	InvalidProbe = "value-probe"
	// InvalidInexact: the ids of a turn are not a faithful record.
	InvalidInexact = "inexact"
	// InvalidUnscored: the policy gave no logprobs for a turn.
	InvalidUnscored = "no-logprobs"
	// InvalidPruned: the search strategy left a finished rollout out.
	InvalidPruned = "pruned"
	// InvalidZeroSpread: all rollouts of the prompt were worth the same, and
	// the estimator drops such prompts.
	InvalidZeroSpread = "zero-spread"
	// InvalidOverlong: the rollout was cut short, and the estimator masks such
	// rollouts.
	InvalidOverlong = "overlong"
)

// Info is what a row knows beyond its columns: the `info` column, as JSON.
type Info struct {
	Task TaskInfo `json:"task"`
	// Branch is the name of the line in its search tree.
	Branch string `json:"branch,omitempty"`
	// LogprobMode says what Logprobs are of: raw, processed, or mixed.
	LogprobMode rollout.LogprobMode `json:"logprob_mode"`
	// Invalid is why Valid is false; empty when it is true.
	Invalid string `json:"invalid,omitempty"`
	// ZeroSpread says that all scored rollouts of the row's group were worth the
	// same, so that comparing them says nothing.
	ZeroSpread bool `json:"zero_spread,omitempty"`
	// Failure is what ended the rollout, when something failed.
	Failure *FailureInfo `json:"failure,omitempty"`
	// Turns has one entry per turn of the row, in order.
	Turns []TurnInfo `json:"turns"`
	// Volatile may differ between two runs that did the same; it is the one
	// part of a row that the digest leaves out besides its attempt.
	Volatile *VolatileInfo `json:"volatile,omitempty"`
}

// LogprobsMixed is the mode of a row whose turns have different modes.
const LogprobsMixed rollout.LogprobMode = "mixed"

// TaskInfo is the task, so that a row stands alone.
type TaskInfo struct {
	Family string          `json:"family,omitempty"`
	Index  int             `json:"index"`
	Seed   int64           `json:"seed"`
	Truth  json.RawMessage `json:"truth,omitempty"`
	Meta   json.RawMessage `json:"meta,omitempty"`
}

// FailureInfo is a failure without what a server said about it.
type FailureInfo struct {
	Class rollout.FailureClass `json:"class"`
	Cause string               `json:"cause"`
}

// VolatileInfo names servers, ports and durations, in a server's own words.
type VolatileInfo struct {
	FailureDetail string `json:"failure_detail,omitempty"`
}

// TurnInfo is one turn of a row.
type TurnInfo struct {
	// Node and Turn identify the turn within its tree: the node whose edge
	// holds it, and its place in that edge, from 0.
	Node int32 `json:"node"`
	Turn int   `json:"turn"`
	// At is the position of the first sampled token, N how many were sampled.
	At int `json:"at"`
	N  int `json:"n"`
	// Prefix is the first 32 hex digits of the SHA-256 of what was sent, as
	// little-endian int32: proof that the row's tokens before At are what these
	// tokens were sampled under.
	Prefix    string         `json:"prefix"`
	Seed      int64          `json:"seed"`
	MaxTokens int            `json:"max_tokens"`
	Law       *Law           `json:"law,omitempty"`
	Finish    rollout.Finish `json:"finish"`
	// Matched is the stop id that ended the reply, -1 when none did.
	Matched rollout.TokenID `json:"matched"`
	// LogprobMode is set where the row's is mixed.
	LogprobMode rollout.LogprobMode `json:"logprob_mode,omitempty"`
	Inexact     bool                `json:"inexact,omitempty"`
	// Rescored holds logprobs of the sampled tokens under other weights.
	Rescored map[rollout.PolicyVersion][]float32 `json:"rescored,omitempty"`

	// Status and Attempts are the parser's verdict.
	Status   rollout.ParseStatus `json:"status,omitempty"`
	Attempts []AttemptInfo       `json:"attempts,omitempty"`

	// Action to Failure are what the world did; absent on a fold turn.
	Action    rollout.ActionKind `json:"action,omitempty"`
	ToolCalls int                `json:"tool_calls,omitempty"`
	Reward    *float64           `json:"reward,omitempty"`
	Outcome   *float64           `json:"outcome,omitempty"`
	Failure   *FailureInfo       `json:"failure,omitempty"`

	// Fold is present on a fold turn only.
	Fold *FoldInfo `json:"fold,omitempty"`
}

// AttemptInfo is one try at a call; [Start, End) counts from the turn's first
// sampled token.
type AttemptInfo struct {
	Status rollout.ParseStatus `json:"status"`
	Name   string              `json:"name,omitempty"`
	Start  int                 `json:"start"`
	End    int                 `json:"end"`
	Reason string              `json:"reason,omitempty"`
}

// FoldInfo is what became of a fold.
type FoldInfo struct {
	Accepted bool    `json:"accepted"`
	Issue    string  `json:"issue,omitempty"`
	Penalty  float64 `json:"penalty,omitempty"`
	// Replaced is the half-open range of messages, of the conversation before,
	// that an accepted fold replaced; absent otherwise.
	Replaced *[2]int `json:"replaced,omitempty"`
}

// marshal is the one JSON form of the columns: compact, keys in the order of
// the struct, no HTML escapes.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// steady is the info without what may differ between two equal runs.
func (i Info) steady() Info {
	i.Volatile = nil
	return i
}
