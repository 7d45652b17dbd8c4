package agent

import (
	"context"
	"fmt"
	"time"

	contexts "focus/context"
	"focus/parser"
	"focus/policy"
	"focus/rollout"
)

// apply records a reply, lets the world answer it, and appends the turn.
func (a *Agent) apply(ctx context.Context, s rollout.State, p policy.Prompt, t *rollout.Turn, ending contexts.Ending) (rollout.State, error) {
	parsed := a.parse(s, p, t)
	t.Status, t.Attempts = parsed.Status, parsed.Attempts
	recorded := a.cfg.Context.RecordReply(s, p, parsed.Message, a)
	t.Covers = recorded.Messages.Len()

	started := time.Now()
	done, err := a.cfg.Context.Apply(ctx, recorded, parsed.Action, a, ending)
	if err != nil {
		return s, fmt.Errorf("apply turn %d of task %s, branch %q: %w", s.Len(), s.Task.ID, s.Branch, err)
	}
	t.Timing.Apply = time.Since(started)
	t.Transition = done.Transition
	if t.Transition == nil {
		// A context operation: a turn like any other, and the task did not move.
		t.Transition = &rollout.Transition{Action: parsed.Action}
	}
	if t.Transition.Action == nil {
		tr := *t.Transition
		tr.Action = parsed.Action
		t.Transition = &tr
	}
	out := done.Rollout.WithTurn(t)
	if a.hopeless(out) {
		return a.end(ctx, out, rollout.StopParseFailures, nil)
	}
	return out, nil
}

// parse reads the reply; a continued reply is read together with its start.
func (a *Agent) parse(s rollout.State, p policy.Prompt, t *rollout.Turn) parser.Parsed {
	ids := t.Sampled()
	text, ends := a.cfg.Policy.(policy.Decoder).Decode(ids)
	reply := parser.Reply{
		Tokens: ids, Text: text, Ends: ends, Finish: t.Finish, Matched: t.Matched, Tools: a.tools,
	}
	if p.Exact && s.Messages.Len() > 0 {
		reply.Before = s.Messages.At(s.Messages.Len() - 1).Content
	}
	return a.cfg.Parser.Parse(reply)
}

// hopeless reports whether the last turns were all unusable attempts, more of
// them than the agent allows.
func (a *Agent) hopeless(s rollout.State) bool {
	limit := a.cfg.MaxParseFailures
	if limit < 0 || s.Done() {
		return false
	}
	run := 0
	for t := range s.Turns() {
		switch {
		case t.Tag != a.cfg.tag:
		case t.Transition != nil && t.Transition.Action.Kind() == rollout.ActionInvalid:
			run++
		default:
			run = 0
		}
	}
	return run >= limit
}
