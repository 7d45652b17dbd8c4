package job

import (
	"encoding/json"
	"fmt"
	"math"

	"focus/rollout"
	"focus/search"
	"focus/search/credit"
)

// FoldRules are FoldGRPO's process rewards that need no judge (arXiv
// 2510.11967): the Q of [credit.FoldShape], on the turn at fault. Where several
// apply they add up. 0 leaves a rule out.
type FoldRules struct {
	// FailedCall is for a turn whose call could not be read or carried out.
	// Default −1.
	FailedCall float64 `yaml:"failed_call" json:"failed_call"`
	// RejectedFold is for a fold turn whose reply was not taken; on top of the
	// penalty that the context manager takes off the return. Default −1.
	RejectedFold float64 `yaml:"rejected_fold" json:"rejected_fold"`
	// Unfolded is for a task turn that was sent more than UnfoldedTokens ids and
	// neither ended the rollout nor had the context rewritten by it. The paper's
	// is −1 above half of the window, which the policy there chooses to leave;
	// where a trigger folds, it is nobody's fault. Default −1, and with 0
	// UnfoldedTokens never.
	Unfolded       float64 `yaml:"unfolded" json:"unfolded"`
	UnfoldedTokens int     `yaml:"unfolded_tokens" json:"unfolded_tokens"`
	// NeverFolded is for every task turn through which no rollout of the tree
	// ever folded. The paper's is −1, for tasks that are too long to be played
	// without. Default 0.
	NeverFolded float64 `yaml:"never_folded" json:"never_folded"`
}

// DefaultFoldRules says what the fields say.
func DefaultFoldRules() FoldRules { return FoldRules{FailedCall: -1, RejectedFold: -1, Unfolded: -1} }

// Validate reports every field that is no number.
func (r FoldRules) Validate() error {
	for _, f := range []struct {
		key string
		q   float64
	}{{"failed_call", r.FailedCall}, {"rejected_fold", r.RejectedFold}, {"unfolded", r.Unfolded}, {"never_folded", r.NeverFolded}} {
		if math.IsNaN(f.q) || math.IsInf(f.q, 0) {
			return fmt.Errorf("%s: %v, must be a number", f.key, f.q)
		}
	}
	if r.UnfoldedTokens < 0 {
		return fmt.Errorf("unfolded_tokens: %d, must be at least 0", r.UnfoldedTokens)
	}
	return nil
}

// shaping is the Q of turn i of the edge that leads to a node.
type shaping func(n *search.Node, turns []*rollout.Turn, i int) float64

// in is the rules in a tree.
func (r FoldRules) in(t *search.Tree) shaping {
	folds := folding(t)
	return func(n *search.Node, turns []*rollout.Turn, i int) float64 {
		turn, q := turns[i], 0.0
		if failedCall(turn) {
			q += r.FailedCall
		}
		if turn.Tag == rollout.TagFold {
			if turn.Issue != "" {
				q += r.RejectedFold
			}
			return q
		}
		if r.UnfoldedTokens > 0 && turn.PrefixLen > r.UnfoldedTokens && lives(turn) && !rewritten(n, turns, i) {
			q += r.Unfolded
		}
		if !folds[n.ID] {
			q += r.NeverFolded
		}
		return q
	}
}

func failedCall(t *rollout.Turn) bool {
	if t.Status == rollout.ParseMalformed || t.Status == rollout.ParseTruncated {
		return true
	}
	return t.Transition != nil && t.Transition.Failure != nil && t.Transition.Failure.Class != rollout.FailureInfrastructure
}

func lives(t *rollout.Turn) bool { return t.Transition == nil || !t.Transition.Done }

// rewritten reports whether the conversation is another one after turn i of an
// edge and before anything else was decided.
func rewritten(n *search.Node, turns []*rollout.Turn, i int) bool {
	for _, next := range turns[i+1:] {
		if next.Tag == rollout.TagTask {
			return next.ContextVersion > turns[i].ContextVersion
		}
	}
	return n.State.ContextVersion > turns[i].ContextVersion
}

// folding says of each node whether a rollout through it had its context
// rewritten.
func folding(t *search.Tree) []bool {
	out := make([]bool, t.Len())
	for n := range t.Nodes() {
		if n.State.ContextVersion == 0 {
			continue
		}
		for at := range t.Path(n.ID) {
			if out[at.ID] {
				break
			}
			out[at.ID] = true
		}
	}
	return out
}

// Shaped is an estimator whose method reads [credit.Node.Shaping].
type Shaped struct {
	credit.Estimator
	Rules FoldRules
}

func (s Shaped) rules() FoldRules { return s.Rules }

// MarshalJSON is the estimator's with the rules as "fold".
func (s Shaped) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		ID      string         `json:"id"`
		Options credit.Options `json:"options"`
		Fold    FoldRules      `json:"fold"`
	}{s.ID(), s.Options, s.Rules})
}
