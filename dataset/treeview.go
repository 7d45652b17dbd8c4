package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"focus/rollout"
)

// ErrNoTree: no tree of the run has the name.
var ErrNoTree = errors.New("no such tree")

// TreeView is one tree of a run, as far as its rows know it.
type TreeView struct {
	Tree rollout.TreeID `json:"tree_id"`
	// Task and Group are empty where every rollout failed before its first turn.
	Task  rollout.TaskID  `json:"task_id"`
	Group rollout.GroupID `json:"group_id"`
	// Strategy and Estimator are the run's.
	Strategy  string `json:"strategy"`
	Estimator string `json:"estimator"`
	// OutcomeAdaptive and ZeroSpread are those of its rows.
	OutcomeAdaptive bool        `json:"outcome_adaptive"`
	ZeroSpread      bool        `json:"zero_spread"`
	Nodes           []*NodeView `json:"nodes"`
}

// NodeView is a checkpoint with what happened on the edge to it. What rows say
// of turns is absent where no rollout with rows came by.
type NodeView struct {
	Node   int32 `json:"node"`
	Parent int32 `json:"parent"`
	// Tokens were sampled on the edge, in Turns turns.
	Turns  int32    `json:"turns"`
	Tokens int32    `json:"tokens"`
	Status string   `json:"status"`
	Visits int32    `json:"visits"`
	Value  *float64 `json:"value"`
	Prior  *float64 `json:"prior"`
	Reward *float64 `json:"reward"`
	// Proposal, Allocator and Pass say who asked for the edge, and under what law.
	Proposal  string `json:"proposal"`
	Allocator string `json:"allocator"`
	Pass      int32  `json:"pass"`
	// Advantages and Weights have one number per turn; null means that nobody
	// computed them.
	Advantages []float32 `json:"advantages"`
	Weights    []float32 `json:"weights"`
	// Folds were accepted; RejectedFolds are fold replies that were not taken.
	Folds         int `json:"folds"`
	RejectedFolds int `json:"rejected_folds"`
	ToolCalls     int `json:"tool_calls"`
	// FailedCalls are turns whose call could not be read or carried out.
	FailedCalls int `json:"failed_calls"`
	// Rollout ended here. Probe says that it was played to estimate a value,
	// Invalid why it is not trained on; empty when it is.
	Rollout rollout.RolloutID `json:"rollout_id,omitempty"`
	Probe   bool              `json:"probe"`
	Invalid string            `json:"invalid,omitempty"`
}

// Tree is the tree of the task of that id, else the one whose id begins with
// name. It reads the run twice.
func (r *Run) Tree(name string) (*TreeView, error) {
	md, err := r.Metadata()
	if err != nil {
		return nil, fmt.Errorf("find tree %s: %w", name, err)
	}
	id, err := r.treeID(name)
	if err != nil {
		return nil, fmt.Errorf("find tree %s in %s: %w", name, r.Dir, err)
	}
	out := &TreeView{Tree: id, Strategy: md.Strategy, Estimator: md.Estimator}
	at := map[int32]*NodeView{}
	for n, err := range r.Nodes() {
		if err != nil {
			return nil, fmt.Errorf("read tree %s: %w", id, err)
		}
		if n.Tree == id {
			v := viewOf(n)
			at[n.Node] = v
			out.Nodes = append(out.Nodes, v)
		}
	}
	seen := map[place]bool{}
	for s, err := range r.Samples() {
		if err != nil {
			return nil, fmt.Errorf("read tree %s: %w", id, err)
		}
		if s.TreeID == id {
			out.add(s, at, seen)
		}
	}
	slices.SortFunc(out.Nodes, func(a, b *NodeView) int { return int(a.Node - b.Node) })
	return out, nil
}

// treeID finds a tree by its task, or by the beginning of its own id.
func (r *Run) treeID(name string) (rollout.TreeID, error) {
	var found []rollout.TreeID
	for s, err := range r.Samples() {
		if err != nil {
			return "", err
		}
		if string(s.TaskID) == name && !slices.Contains(found, s.TreeID) {
			found = append(found, s.TreeID)
		}
	}
	if len(found) == 0 && name != "" {
		for n, err := range r.Nodes() {
			if err != nil {
				return "", err
			}
			if strings.HasPrefix(string(n.Tree), name) && !slices.Contains(found, n.Tree) {
				found = append(found, n.Tree)
			}
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%w; it is the id of a task, or the beginning of a tree_id", ErrNoTree)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%s and %s are both meant; write more of the tree_id", found[0], found[1])
}

func viewOf(n *Node) *NodeView {
	return &NodeView{
		Node: n.Node, Parent: n.Parent, Turns: n.Turns, Tokens: n.Tokens, Status: n.Status, Visits: n.Visits,
		Value: n.Value, Prior: n.Prior, Reward: n.Reward, Proposal: n.Proposal, Allocator: n.Allocator, Pass: n.Pass,
	}
}

// add takes what a row knows: of the tree, of the rollout's end, and of each
// turn that no row before it held.
func (v *TreeView) add(s *Sample, at map[int32]*NodeView, seen map[place]bool) {
	v.Task, v.Group = s.TaskID, s.GroupID
	v.OutcomeAdaptive, v.ZeroSpread = v.OutcomeAdaptive || s.OutcomeAdaptive, v.ZeroSpread || s.Info.ZeroSpread
	if end := at[s.Branch[len(s.Branch)-1]]; end != nil {
		end.Rollout, end.Probe = s.RolloutID, s.Kind == KindProbe
		if !s.Valid && end.Invalid == "" {
			end.Invalid = s.Info.Invalid
		}
	}
	for i, t := range s.Info.Turns {
		n := at[t.Node]
		if n == nil {
			continue
		}
		n.credit(t, s)
		if is := (place{t.Node, t.Turn}); !seen[is] {
			seen[is] = true
			n.count(t)
			// The turns of a fold are a row, and a row of folds is one fold's.
			if i == len(s.Info.Turns)-1 && t.Fold != nil && t.Fold.Accepted {
				n.Folds++
			}
		}
	}
}

// credit takes the advantage and weight of a turn from a row that has them.
func (n *NodeView) credit(t TurnInfo, s *Sample) {
	if t.N == 0 || t.Turn >= int(n.Turns) {
		return
	}
	if s.Advantages != nil {
		if n.Advantages == nil {
			n.Advantages = make([]float32, n.Turns)
		}
		n.Advantages[t.Turn] = s.Advantages[t.At]
	}
	if s.Weights != nil {
		if n.Weights == nil {
			n.Weights = make([]float32, n.Turns)
		}
		n.Weights[t.Turn] = s.Weights[t.At]
	}
}

// count takes what happened in a turn.
func (n *NodeView) count(t TurnInfo) {
	n.ToolCalls += t.ToolCalls
	if t.Status == rollout.ParseMalformed || t.Status == rollout.ParseTruncated || t.Failure != nil && t.Failure.Class != rollout.FailureInfrastructure {
		n.FailedCalls++
	}
	if t.Fold != nil && t.Fold.Issue != "" {
		n.RejectedFolds++
	}
}
