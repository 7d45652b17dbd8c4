package env

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// reply is what a handler came back with.
type reply[S any] struct {
	effect   Effect[S]
	err      error
	panicked bool
}

// invoke runs one handler within its time. The error it returns means that the
// world broke; all else is in the slot.
//
// A handler that ignores the end of its context is given up on after a grace;
// Close still waits for it. With a workspace nobody knows what it goes on to
// write, so that rollout ends; without one its state is dropped and the model
// may go on.
func (e *ToolEnv[S]) invoke(ctx context.Context, s *slot[S], c Call[S], limit time.Duration) error {
	s.ran = true
	callCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	back := make(chan reply[S], 1)
	e.handlers.Go(func() { back <- guarded(callCtx, s.tool, c, s.call.Arguments) })
	var r reply[S]
	select {
	case r = <-back:
	case <-callCtx.Done():
		grace := time.NewTimer(e.cfg.Limits.Grace)
		defer grace.Stop()
		select {
		case r = <-back:
		case <-grace.C:
			if err := ctx.Err(); err != nil {
				return err
			}
			s.stuck = c.Workspace != nil
			s.cause, s.text = CauseToolTimeout, fmt.Sprintf("%s took over %s", s.call.Name, limit)
			return nil
		}
	}
	return e.judge(ctx, callCtx, s, r, limit)
}

// judge sorts what a handler returned.
func (e *ToolEnv[S]) judge(ctx, callCtx context.Context, s *slot[S], r reply[S], limit time.Duration) error {
	refusal, refused := errors.AsType[*Refusal](r.err)
	switch {
	case r.panicked:
		s.cause, s.text, s.detail = CauseToolPanic, s.call.Name+" crashed on these arguments", r.err.Error()
	case r.err == nil:
		s.effect = r.effect
	case ctx.Err() != nil:
		return ctx.Err()
	case refused:
		s.cause, s.text = refusal.Cause, refusal.Text
	case callCtx.Err() != nil:
		s.cause, s.text = CauseToolTimeout, fmt.Sprintf("%s took over %s", s.call.Name, limit)
	default:
		return &ToolError{Tool: s.call.Name, Err: r.err}
	}
	return nil
}

func guarded[S any](ctx context.Context, t *Tool[S], c Call[S], args []byte) (r reply[S]) {
	defer func() {
		if p := recover(); p != nil {
			r = reply[S]{panicked: true, err: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
		}
	}()
	effect, err := t.run(ctx, c, args)
	return reply[S]{effect: effect, err: err}
}
