package dataset

import (
	"encoding/json"
	"strconv"

	"focus/rollout"
)

// Kind is what a row is good for.
type Kind string

const (
	// KindTask: turns that worked on the task.
	KindTask Kind = "task"
	// KindFold: turns that folded context.
	KindFold Kind = "fold"
	// KindProbe: a rollout that was made to estimate a value; never trained.
	KindProbe Kind = "value-probe"
)

// Law is the distribution that ids were drawn from.
type Law struct {
	Temperature float64 `json:"temperature"`
	TopP        float64 `json:"top_p"`
	TopK        int32   `json:"top_k"`
	MinP        float64 `json:"min_p"`
}

// Span is a stretch of a row of one kind, one turn and one policy version. It
// ends where the next one starts, the last one at the end of the row.
type Span struct {
	// Start is the position of its first token in the row.
	Start int32 `json:"start"`
	// Node is the tree node whose edge holds the turn: for a generated span the
	// turn that sampled it, else the turn it was sent to.
	Node int32             `json:"node"`
	Kind rollout.PieceKind `json:"kind"`
	Tag  rollout.Tag       `json:"tag"`
	// Version is empty where nothing was sampled.
	Version        rollout.PolicyVersion `json:"version"`
	ContextVersion int32                 `json:"context_version"`
}

// Sample is one row of `samples`: one region of a root-to-leaf line. In JSON its
// keys are the columns, spans and law put together.
type Sample struct {
	SampleID  rollout.SampleID  `json:"sample_id"`
	RolloutID rollout.RolloutID `json:"rollout_id"`
	GroupID   rollout.GroupID   `json:"group_id"`
	TaskID    rollout.TaskID    `json:"task_id"`
	TreeID    rollout.TreeID    `json:"tree_id"`
	// Attempt counts the tries of this rollout, from 1.
	Attempt int32 `json:"attempt"`
	// Row is the position among the rollout's rows, from 0.
	Row       int32 `json:"row"`
	IsLastRow bool  `json:"is_last_row"`
	Kind      Kind  `json:"kind"`
	// Branch is the node ids from root to leaf.
	Branch []int32 `json:"branch"`

	// TokenIDs is exactly what the model saw and sampled. The lists below have
	// the same length.
	TokenIDs    []rollout.TokenID `json:"token_ids"`
	SampledMask []int8            `json:"sampled_mask"`
	// LossMask is 1 where the token was sampled and this row owns its turn.
	LossMask []int8 `json:"loss_mask"`
	// Logprobs are the behaviour logprobs, 0 where not sampled.
	Logprobs []float32 `json:"logprobs"`
	// AnchorLogprobs are the logprobs of the same tokens under the run's own
	// law, 0 where not sampled: exp(AnchorLogprobs - Logprobs) is the importance
	// ratio that a trainer owes. Nil where every token of the row was sampled
	// under that law.
	AnchorLogprobs []float32 `json:"anchor_logprobs"`
	// Advantages and Weights are nil when nobody computed them; else they have
	// a value at every sampled token, owned or not, and 0 elsewhere.
	Advantages []float32 `json:"advantages"`
	Weights    []float32 `json:"weights"`
	// PromptLen is the position of the first sampled token, or the length of
	// the row when there is none.
	PromptLen int32  `json:"prompt_len"`
	Spans     []Span `json:"spans"`

	// Reward and its parts belong to the rollout; nil means nobody computed it.
	Reward        *float64 `json:"reward"`
	RewardOutcome *float64 `json:"reward_outcome"`
	RewardStep    *float64 `json:"reward_step"`
	// Return is the reward plus the fold penalties.
	Return *float64 `json:"return"`
	// StopReason is empty when search gave the line up before an end.
	StopReason rollout.StopReason `json:"stop_reason"`
	Truncated  bool               `json:"truncated"`
	// Exact is false when the ids are not a faithful record.
	Exact           bool `json:"exact"`
	OutcomeAdaptive bool `json:"outcome_adaptive"`
	// Valid is false when the row must not be trained on; [Info.Invalid] says
	// why.
	Valid bool `json:"valid"`

	// Law is nil when the turns of the row were drawn under different laws:
	// then each entry of [Info.Turns] has its own.
	Law *Law `json:"law"`
	// Seed is the first turn's; every turn's is in [Info.Turns].
	Seed int64 `json:"seed"`

	// Messages is the conversation that TokenIDs render, as JSON; nil when it
	// is not known any more.
	Messages json.RawMessage `json:"messages"`
	Info     Info            `json:"info"`

	// infoText is the info column of a row that was read.
	infoText string
}

// Len is the number of tokens.
func (s *Sample) Len() int { return len(s.TokenIDs) }

// SpanEnd is where span i ends.
func (s *Sample) SpanEnd(i int) int32 {
	if i+1 < len(s.Spans) {
		return s.Spans[i+1].Start
	}
	return int32(len(s.TokenIDs))
}

// bytes estimates what the row takes in a batch.
func (s *Sample) bytes(info []byte) int {
	perToken := 4 + 1 + 1 + 4
	if s.AnchorLogprobs != nil {
		perToken += 4
	}
	if s.Advantages != nil {
		perToken += 4
	}
	if s.Weights != nil {
		perToken += 4
	}
	fixed := 256 + len(s.SampleID) + len(s.RolloutID) + len(s.GroupID) + len(s.TaskID) + len(s.TreeID)
	return fixed + perToken*len(s.TokenIDs) + 48*len(s.Spans) + 4*len(s.Branch) + len(s.Messages) + len(info)
}

// sampleID names a row by its rollout and its place in it.
func sampleID(r rollout.RolloutID, row int) rollout.SampleID {
	return rollout.SampleID(rollout.DeriveID("sample", string(r), strconv.Itoa(row)))
}
