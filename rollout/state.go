package rollout

import (
	"fmt"
	"iter"
)

// State is the checkpoint of a rollout: everything needed to go on from here.
// It is immutable, the workspace excepted; methods return another State.
type State struct {
	Task Task
	// Branch names the line of the search tree this state is on. It is part of
	// every request's seed, so two branches never draw the same noise.
	Branch string
	// Messages is the live conversation: what the next prompt renders.
	Messages List[Message]
	// Seed is the conversation a compaction restarts from.
	Seed []Message
	// Env is the world's own immutable state.
	Env any
	// Workspace is nil when the world has none.
	Workspace Workspace
	// ContextVersion counts the times the live conversation was rewritten.
	ContextVersion int
	// Truncated says that the rollout was cut short of an end of its own.
	Truncated bool
	// Stop is set when the agent ended the rollout; an end by the world is in
	// the last transition.
	Stop StopReason
	// Failure is the reason behind Stop, when something failed.
	Failure *Failure
	// Settled is what the world said when the agent ended the rollout without a
	// turn: its score for a rollout that never answered.
	Settled *Transition
	// Compactions counts the times the agent's trigger compacted the context,
	// with or without a model call. Each costs one step.
	Compactions int
	// CompactedAt is the length of the log right after the last of them.
	CompactedAt int

	log List[*Turn]
	// past are the conversations that were rewritten, by context version.
	past List[List[Message]]
}

// NewState is a rollout before its first turn.
func NewState(task Task, seed []Message, world any, ws Workspace) State {
	return State{
		Task: task, Seed: seed, Env: world, Workspace: ws,
		Messages: List[Message]{}.Append(seed...),
	}
}

// Turns walks the log from the first turn to the last.
func (s State) Turns() iter.Seq[*Turn] {
	return func(yield func(*Turn) bool) {
		for _, t := range s.log.All() {
			if !yield(t) {
				return
			}
		}
	}
}

// Len is the number of turns in the log, fold turns included.
func (s State) Len() int { return s.log.Len() }

// Last is the last turn, nil before the first.
func (s State) Last() *Turn {
	if s.log.Len() == 0 {
		return nil
	}
	return s.log.At(s.log.Len() - 1)
}

// WithTurn appends turns to the log.
func (s State) WithTurn(turns ...*Turn) State {
	s.log = s.log.Append(turns...)
	return s
}

// WithMessages appends messages to the live conversation.
func (s State) WithMessages(m ...Message) State {
	s.Messages = s.Messages.Append(m...)
	return s
}

// Rewritten replaces the live conversation and advances the context version.
func (s State) Rewritten(messages []Message) State {
	s.past = s.past.Append(s.Messages)
	s.Messages = List[Message]{}.Append(messages...)
	s.ContextVersion++
	return s
}

// Conversation is the conversation of a context version as it stood when it
// was rewritten, the live one for the present version; false when there was no
// such version.
func (s State) Conversation(version int) (List[Message], bool) {
	switch {
	case version == s.ContextVersion:
		return s.Messages, true
	case version < 0 || version >= s.past.Len():
		return List[Message]{}, false
	}
	return s.past.At(version), true
}

// Ended marks the rollout as ended by the agent. A rollout ends once: a second
// end keeps the first reason.
func (s State) Ended(why StopReason, f *Failure) State {
	if s.Done() {
		return s
	}
	s.Stop, s.Failure, s.Truncated = why, f, s.Truncated || why.Truncated()
	return s
}

// Live is the last task turn whose Context begins the next prompt of this
// conversation; nil when the conversation was rewritten since, or is new.
func (s State) Live() *Turn {
	for i := s.log.Len() - 1; i >= 0; i-- {
		t := s.log.At(i)
		if t.ContextVersion != s.ContextVersion {
			return nil
		}
		if t.Tag == TagTask {
			return t
		}
	}
	return nil
}

// Done reports whether the rollout has ended.
func (s State) Done() bool { return s.Reason() != "" }

// Reason is why the rollout ended; empty while it lives.
func (s State) Reason() StopReason {
	if s.Stop != "" {
		return s.Stop
	}
	last := s.Last()
	if last == nil || last.Transition == nil || !last.Transition.Done {
		return ""
	}
	if last.Transition.Stop == "" {
		return StopEnvDone
	}
	return last.Transition.Stop
}

// Scores are the parts of a rollout's reward. A nil part was never computed.
type Scores struct {
	// Outcome is the world's score of the episode.
	Outcome *float64
	// Step is the sum of the per-step rewards.
	Step *float64
	// Penalty is the sum of the fold penalties, at most 0.
	Penalty float64
}

// Scores sums the log. A rollout that the infrastructure failed has no score.
func (s State) Scores() Scores {
	var out Scores
	if s.Stop != "" && !s.Stop.Scored() {
		return out
	}
	for t := range s.Turns() {
		out.Penalty += t.Penalty
		if t.Transition == nil {
			continue
		}
		out.Step = addPart(out.Step, t.Transition.Reward)
		out.Outcome = addPart(out.Outcome, t.Transition.Outcome)
	}
	if s.Settled != nil {
		out.Step = addPart(out.Step, s.Settled.Reward)
		out.Outcome = addPart(out.Outcome, s.Settled.Outcome)
	}
	return out
}

func addPart(sum, part *float64) *float64 {
	if part == nil {
		return sum
	}
	v := *part
	if sum != nil {
		v += *sum
	}
	return &v
}

// Reward is outcome plus step rewards; false when nobody computed either.
func (s State) Reward() (float64, bool) {
	sc := s.Scores()
	sum := addPart(sc.Outcome, sc.Step)
	if sum == nil {
		return 0, false
	}
	return *sum, true
}

// Return is the reward plus the fold penalties; false as for Reward.
func (s State) Return() (float64, bool) {
	r, ok := s.Reward()
	if !ok {
		return 0, false
	}
	return r + s.Scores().Penalty, true
}

// Steps is how much of the agent's step budget is spent: one for each task turn
// and each compaction.
func (s State) Steps() int { return s.TurnsTaken() + s.Compactions }

// Generated counts the sampled ids, fold turns included.
func (s State) Generated() int {
	n := 0
	for t := range s.Turns() {
		n += t.Context.Len() - t.PrefixLen
	}
	return n
}

// TurnsTaken counts the task turns.
func (s State) TurnsTaken() int { return s.Tagged(TagTask) }

// Tagged counts the turns with a tag.
func (s State) Tagged(tag Tag) int {
	n := 0
	for t := range s.Turns() {
		if t.Tag == tag {
			n++
		}
	}
	return n
}

// Folds counts the accepted folds: runs of fold turns that replaced the context.
func (s State) Folds() int {
	n, at := 0, -1
	for t := range s.Turns() {
		if t.Tag == TagFold && t.Accepted && t.ContextVersion != at {
			n, at = n+1, t.ContextVersion
		}
	}
	return n
}

// Edge is the turns between parent and s. It is an error when s does not
// descend from parent.
func (s State) Edge(parent State) ([]*Turn, error) {
	if !s.log.Shares(parent.log, parent.log.Len()) {
		return nil, fmt.Errorf("edge of task %s: branch %q does not descend from %q", s.Task.ID, s.Branch, parent.Branch)
	}
	return s.log.From(parent.log.Len()), nil
}

// Fork continues from s on another branch: the workspace is copied, all else
// is shared.
func (s State) Fork(branch string) (State, error) {
	if s.Workspace != nil {
		ws, err := s.Workspace.Fork()
		if err != nil {
			return State{}, fmt.Errorf("fork workspace of task %s, branch %q: %w", s.Task.ID, s.Branch, err)
		}
		s.Workspace = ws
	}
	s.Branch = branch
	return s, nil
}
