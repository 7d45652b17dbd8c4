package parsertest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"focus/parser"
	"focus/rollout"
)

// Sample is a text that a dialect has an opinion on.
type Sample struct {
	Name     string
	Text     string
	Thinking bool
	Tools    []rollout.ToolSchema
	Want     rollout.ParseStatus
	// EmptyBody says that a call is complete with no argument text at all, so
	// that a beginning of the reply is a call without arguments.
	EmptyBody bool
}

// stopID ends the replies of the suite.
const stopID rollout.TokenID = 99

// Run checks p on every sample. The samples should hold one reply of each
// status that p can give.
func Run(t *testing.T, p parser.Parser, samples []Sample) {
	t.Helper()
	if len(samples) == 0 {
		t.Fatal("parsertest: no samples")
	}
	for _, s := range samples {
		t.Run(s.Name, func(t *testing.T) {
			whole := Bytes(s)
			got := p.Parse(whole)
			if got.Status != s.Want {
				t.Fatalf("status: got %s, want %s\ntext %q", got.Status, s.Want, s.Text)
			}
			check(t, p, whole)
			cuts(t, p, whole)
			segments(t, p, whole)
			terminator(t, p, whole)
			beginnings(t, p, whole, s.EmptyBody)
			noise(t, p, whole)
		})
	}
}

// Bytes is a sample as a reply of one id per byte that ended by a stop id
// without text.
func Bytes(s Sample) parser.Reply {
	r := parser.Reply{
		Text: s.Text, Finish: rollout.FinishStop, Matched: stopID,
		Tools: s.Tools, Thinking: s.Thinking,
	}
	for i := range len(s.Text) {
		r.Tokens, r.Ends = append(r.Tokens, rollout.TokenID(i%7)), append(r.Ends, i+1)
	}
	r.Tokens, r.Ends = append(r.Tokens, stopID), append(r.Ends, len(s.Text))
	return r
}

// Chunks is the same reply with its text cut at random: ids of one to width
// bytes, and now and then one of none.
func Chunks(r parser.Reply, rng *rand.Rand, width int) parser.Reply {
	r.Tokens, r.Ends = nil, nil
	for end := 0; end < len(r.Text); {
		if rng.IntN(8) > 0 {
			end = min(end+1+rng.IntN(width), len(r.Text))
		}
		r.Tokens, r.Ends = append(r.Tokens, rollout.TokenID(rng.IntN(50))), append(r.Ends, end)
	}
	if r.Matched >= 0 {
		r.Tokens, r.Ends = append(r.Tokens, r.Matched), append(r.Ends, len(r.Text))
	}
	return r
}

// Check fails when a verdict contradicts itself or the reply.
func Check(p parser.Parser, r parser.Reply) error {
	got := p.Parse(r)
	if again := p.Parse(r); !reflect.DeepEqual(got, again) {
		return fmt.Errorf("two verdicts on one reply:\n%+v\n%+v", got, again)
	}
	if got.Action == nil {
		return fmt.Errorf("no action")
	}
	kind := got.Action.Kind()
	if kind != rollout.ActionInvalid && !slices.Contains(p.Kinds(), kind) {
		return fmt.Errorf("a %s action, which is not one of %v", kind, p.Kinds())
	}
	if got.Message.Role != rollout.RoleAssistant || !slices.Equal(got.Message.Sampled, r.Tokens) {
		return fmt.Errorf("the message is not the sampled assistant message: %+v", got.Message)
	}
	if err := checkAttempts(got, r); err != nil {
		return err
	}
	if err := checkAction(got); err != nil {
		return err
	}
	if r.Finish != rollout.FinishStop && kind == rollout.ActionToolCalls {
		return fmt.Errorf("calls run after finish %q", r.Finish)
	}
	return nil
}

func check(t *testing.T, p parser.Parser, r parser.Reply) {
	t.Helper()
	if err := Check(p, r); err != nil {
		t.Fatalf("%v\ntext %q before %q finish %s", err, r.Text, r.Before, r.Finish)
	}
}
