package env

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"focus/rollout"
)

// slot is one call of a turn on its way to a result.
type slot[S any] struct {
	call rollout.ToolCall
	// tool is nil once the call has been refused.
	tool   *Tool[S]
	ran    bool
	effect Effect[S]
	// cause and text are set when the model is to read of a failure.
	cause, text, detail string
	stuck               bool
}

func (s *slot[S]) refuse(cause, format string, args ...any) {
	s.tool, s.cause, s.text = nil, cause, fmt.Sprintf(format, args...)
}

// runCalls runs the calls of one turn as if one after the other: neighbouring
// read-only calls may overlap, results are in call order.
func (e *ToolEnv[S]) runCalls(ctx context.Context, ep Episode[S], ws rollout.Workspace, tr *rollout.Transition, calls []rollout.ToolCall, p phase) (Episode[S], error) {
	slots := make([]slot[S], len(calls))
	for i, c := range calls {
		slots[i] = e.check(i, c, p)
	}
	for i := 0; i < len(slots); {
		j := e.batch(&ep, slots, i)
		started := time.Now()
		if err := e.runBatch(ctx, ep, ws, slots[i:j]); err != nil {
			return ep, err
		}
		if e.cfg.Limits.EpisodeTime > 0 {
			ep.ToolTime += time.Since(started)
		}
		for k := range slots[i:j] {
			e.settle(&ep, tr, &slots[i+k])
		}
		if e.cfg.Limits.EpisodeTime > 0 && ep.ToolTime >= e.cfg.Limits.EpisodeTime && !tr.Done {
			tr.Failure = &rollout.Failure{Class: rollout.FailureTask, Cause: CauseTimeLimit}
			e.end(ep, tr, rollout.StopTimeLimit)
		}
		i = j
		if tr.Done {
			break
		}
	}
	for _, s := range slots[len(tr.Observations):] {
		tr.Observations = append(tr.Observations, rollout.ToolResult(s.call, "not run: the episode has ended"))
	}
	return ep, nil
}

// check finds the tool of a call and reads its arguments against the schema.
func (e *ToolEnv[S]) check(i int, c rollout.ToolCall, p phase) slot[S] {
	s := slot[S]{call: c, tool: e.tools[c.Name]}
	switch {
	case i >= e.cfg.Limits.TurnCalls:
		s.refuse(CauseTooManyCalls, "at most %d calls run in one turn", e.cfg.Limits.TurnCalls)
	case s.tool == nil:
		s.refuse(CauseUnknownTool, "no tool %q, %s", cutUTF8(ValidUTF8(c.Name), 64), e.offered)
	case p == finishing && !s.tool.Final:
		s.refuse(CauseNotRun, "no steps are left, answer now")
	default:
		if why := e.checks[c.Name].problem(c.Arguments); why != "" {
			s.refuse(CauseBadArguments, "%s: %s", c.Name, why)
		}
	}
	return s
}

// batch is the end of the run of slots, from i, that may start together. It
// charges the budget in call order.
func (e *ToolEnv[S]) batch(ep *Episode[S], slots []slot[S], i int) int {
	for j := i; j < len(slots); j++ {
		s := &slots[j]
		if s.tool != nil && !s.tool.concurrent && j > i {
			return j
		}
		if s.tool != nil && !s.tool.Final {
			var ok bool
			if ep.Budget, ok = ep.Budget.Charge(); !ok {
				s.refuse(CauseBudgetSpent, "no calls are left: %d of %d are spent", ep.Budget.Max, ep.Budget.Max)
			}
		}
		if s.tool != nil && !s.tool.concurrent {
			return j + 1
		}
	}
	return len(slots)
}

func (e *ToolEnv[S]) runBatch(ctx context.Context, ep Episode[S], ws rollout.Workspace, slots []slot[S]) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(e.cfg.Limits.Parallel)
	for i := range slots {
		s := &slots[i]
		if s.tool == nil {
			continue
		}
		g.Go(func() error { return e.invoke(gctx, s, Call[S]{ep.State, ws, s.call.ID}, e.callTime(ep, s.tool)) })
	}
	err := g.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// callTime is what a call may take: its tool's limit, cut by what is left of
// the episode's.
func (e *ToolEnv[S]) callTime(ep Episode[S], t *Tool[S]) time.Duration {
	d := orDefault(t.Timeout, e.cfg.Limits.CallTime)
	if all := e.cfg.Limits.EpisodeTime; all > 0 {
		d = min(d, all-ep.ToolTime)
	}
	return d
}

// settle turns a finished slot into its observation and its effect.
func (e *ToolEnv[S]) settle(ep *Episode[S], tr *rollout.Transition, s *slot[S]) {
	text := s.text
	if s.cause != "" {
		text = "error: " + text
	} else {
		ep.State = s.effect.State
		text = s.effect.Result
		tr.Reward = addPart(tr.Reward, s.effect.Reward)
		tr.Outcome = addPart(tr.Outcome, s.effect.Outcome)
	}
	text = ValidUTF8(text)
	if over := len(text) - e.cfg.Limits.ResultBytes; over > 0 {
		text = e.bounded(text)
		if s.cause == "" {
			s.cause = CauseResultTooLong
			s.detail = fmt.Sprintf("%s: %d bytes over the limit", s.call.Name, over)
		}
	}
	if s.ran {
		tr.ToolCalls++
	}
	if s.cause != "" && tr.Failure == nil {
		tr.Failure = visible(s.cause, firstNonEmpty(s.detail, s.text))
	}
	tr.Observations = append(tr.Observations, rollout.ToolResult(s.call, text))
	switch {
	case s.stuck:
		tr.Failure = &rollout.Failure{Class: rollout.FailureTask, Cause: CauseToolStuck, Detail: s.text}
		e.end(*ep, tr, rollout.StopTimeLimit)
	case s.effect.Done && !tr.Done:
		tr.Done, tr.Stop = true, s.effect.Stop
		if tr.Stop == "" {
			tr.Stop = rollout.StopEnvDone
		}
	}
}

func firstNonEmpty(a, b string) string {
	if a != "" {
		return a
	}
	return b
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

// bounded is text in valid UTF-8, cut to the result limit with a note of how
// much is missing.
func (e *ToolEnv[S]) bounded(text string) string {
	text = ValidUTF8(text)
	if len(text) <= e.cfg.Limits.ResultBytes {
		return text
	}
	kept := cutUTF8(text, e.cfg.Limits.ResultBytes)
	return fmt.Sprintf("%s\n[cut: %d of %d bytes shown]", kept, len(kept), len(text))
}
