package parsertest

import (
	"encoding/json"
	"fmt"
	"reflect"

	"focus/parser"
	"focus/rollout"
)

// feedbackMax is how long a sentence for the model may be, in bytes.
const feedbackMax = 400

// checkAttempts looks at spans, and at what each attempt says. Without offsets a
// span is the whole reply.
func checkAttempts(got parser.Parsed, r parser.Reply) error {
	end, ids := 0, len(r.Tokens)
	for i, a := range got.Attempts {
		s := a.Span
		if s.Start < 0 || s.End > ids || s.Start > s.End {
			return fmt.Errorf("attempt %d spans %v of %d ids", i, s, ids)
		}
		// One id may hold the end of a call and the beginning of the next.
		if r.Ends != nil && s.Start < end-1 {
			return fmt.Errorf("attempt %d spans %v and the one before ends at %d", i, s, end)
		}
		end = s.End
		if (a.Status == rollout.ParseOK) != (a.Reason == "") {
			return fmt.Errorf("attempt %d is %s with reason %q", i, a.Status, a.Reason)
		}
		if a.Status != rollout.ParseOK && i != len(got.Attempts)-1 {
			return fmt.Errorf("attempt %d failed and reading went on", i)
		}
	}
	return nil
}

// checkAction compares the parts of a verdict with each other.
func checkAction(got parser.Parsed) error {
	switch a := got.Action.(type) {
	case rollout.Calls:
		return checkCalls(got, a)
	case rollout.Text:
		if got.Status != rollout.ParseNone || len(got.Attempts) > 0 || a.Content != got.Message.Content {
			return fmt.Errorf("a text action from %+v", got)
		}
	case rollout.TokenChunk:
		if got.Status != rollout.ParseNone || len(got.Attempts) > 0 {
			return fmt.Errorf("a token chunk from %+v", got)
		}
	case rollout.Invalid:
		if got.Status != rollout.ParseMalformed && got.Status != rollout.ParseTruncated || a.Status != got.Status {
			return fmt.Errorf("an invalid action of status %s from status %s", a.Status, got.Status)
		}
		if a.Feedback == "" || len(a.Feedback) > feedbackMax {
			return fmt.Errorf("feedback of %d bytes: %q", len(a.Feedback), a.Feedback)
		}
		if len(got.Message.ToolCalls) > 0 {
			return fmt.Errorf("the message of a failed reply has calls")
		}
	default:
		return fmt.Errorf("an action of type %T", a)
	}
	return nil
}

func checkCalls(got parser.Parsed, a rollout.Calls) error {
	if got.Status != rollout.ParseOK || len(a.Calls) == 0 || len(a.Calls) != len(got.Attempts) {
		return fmt.Errorf("status %s, %d calls, %d attempts", got.Status, len(a.Calls), len(got.Attempts))
	}
	if !reflect.DeepEqual(a.Calls, got.Message.ToolCalls) || a.Content != got.Message.Content {
		return fmt.Errorf("action %+v and message %+v differ", a, got.Message)
	}
	for i, c := range a.Calls {
		var object map[string]any
		if err := json.Unmarshal(c.Arguments, &object); err != nil || object == nil {
			return fmt.Errorf("arguments of call %d are no JSON object: %q", i, c.Arguments)
		}
		if !reflect.DeepEqual(c, got.Attempts[i].Call) || got.Attempts[i].Status != rollout.ParseOK {
			return fmt.Errorf("call %d is not attempt %d", i, i)
		}
		if c.Name == "" || c.ID == "" {
			return fmt.Errorf("call %d has name %q and id %q", i, c.Name, c.ID)
		}
	}
	return nil
}

// same fails when two verdicts differ in more than ids and spans.
func same(a, b parser.Parsed) error {
	a, b = unspanned(a), unspanned(b)
	if !reflect.DeepEqual(a, b) {
		return fmt.Errorf("verdicts differ:\n%+v\n%+v", a, b)
	}
	return nil
}

func unspanned(p parser.Parsed) parser.Parsed {
	p.Message.Sampled = nil
	attempts := make([]rollout.Attempt, len(p.Attempts))
	for i, a := range p.Attempts {
		a.Span = rollout.Span{}
		attempts[i] = a
	}
	p.Attempts = attempts
	if c, ok := p.Action.(rollout.TokenChunk); ok {
		c.Tokens = nil
		p.Action = c
	}
	return p
}
