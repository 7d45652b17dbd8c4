package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"focus/rollout"
)

// ErrNoRollout: no row of the run belongs to the rollout.
var ErrNoRollout = errors.New("no such rollout")

// Inspection says how a rollout is printed.
type Inspection struct {
	// Decode turns ids into text. Nil prints the messages of a row instead.
	Decode func([]rollout.TokenID) string
	// MaxText cuts the text of what was not sampled, in runes; 0 means no cut.
	MaxText int
}

// Rollout is the rows of the one rollout whose id begins with prefix.
func (r *Run) Rollout(prefix string) ([]*Sample, error) {
	var rows []*Sample
	var first rollout.RolloutID
	for s, err := range r.Samples() {
		if err != nil {
			return nil, fmt.Errorf("find rollout %s: %w", prefix, err)
		}
		if !strings.HasPrefix(string(s.RolloutID), prefix) {
			continue
		}
		if len(rows) == 0 {
			first = s.RolloutID
		}
		if s.RolloutID != first {
			return nil, fmt.Errorf("find rollout %s: %s and %s both begin so; write more of the id", prefix, first, s.RolloutID)
		}
		rows = append(rows, s)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("find rollout %s in %s: %w", prefix, r.Dir, ErrNoRollout)
	}
	return rows, nil
}

// WriteText prints the rows of a rollout for a person: turns, tool calls,
// rewards, tokens.
func (in Inspection) WriteText(w io.Writer, rows []*Sample) error {
	var b strings.Builder
	for i, s := range rows {
		if i == 0 {
			fmt.Fprintf(&b, "rollout %s of task %s, group %s, tree %s, branch %v, attempt %d\n",
				s.RolloutID, oneLine(string(s.TaskID)), s.GroupID, s.TreeID, s.Branch, s.Attempt)
			fmt.Fprintf(&b, "  %s: %s\n", s.StopReason, s.StopReason.Sentence())
			fmt.Fprintf(&b, "  reward %s = outcome %s + steps %s; return %s\n",
				number(s.Reward), number(s.RewardOutcome), number(s.RewardStep), number(s.Return))
			if f := s.Info.Failure; f != nil {
				fmt.Fprintf(&b, "  failure: %s (%s)\n", f.Cause, f.Class)
			}
		}
		in.row(&b, s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (in Inspection) row(b *strings.Builder, s *Sample) {
	sampled, loss := 0, 0
	for i := range s.SampledMask {
		sampled, loss = sampled+int(s.SampledMask[i]), loss+int(s.LossMask[i])
	}
	fmt.Fprintf(b, "\nrow %d, %s: %d tokens, %d sampled, %d with loss", s.Row, s.Kind, s.Len(), sampled, loss)
	if !s.Valid {
		fmt.Fprintf(b, ", not valid: %s", s.Info.Invalid)
	}
	b.WriteString("\n")
	if l := s.Law; l != nil {
		fmt.Fprintf(b, "  temperature %g, top_p %g, top_k %d, min_p %g, %s logprobs\n", l.Temperature, l.TopP, l.TopK, l.MinP, s.Info.LogprobMode)
	}
	if in.Decode == nil {
		in.messages(b, s)
	}
	turn := 0
	for i, span := range s.Spans {
		ids := s.TokenIDs[span.Start:s.SpanEnd(i)]
		fmt.Fprintf(b, "  [%d, %d) %s, node %d", span.Start, s.SpanEnd(i), span.Kind, span.Node)
		if span.Kind == rollout.PieceGenerated {
			for s.Info.Turns[turn].At+s.Info.Turns[turn].N <= int(span.Start) {
				turn++
			}
			fmt.Fprintf(b, ", policy %s", span.Version)
			if s.Info.Turns[turn].At == int(span.Start) {
				b.WriteString(describe(s.Info.Turns[turn], s))
			}
		}
		b.WriteString("\n")
		if in.Decode != nil {
			in.text(b, in.Decode(ids), span.Kind)
		}
	}
}

// describe is what a turn did, for the line of its first span.
func describe(t TurnInfo, s *Sample) string {
	var b strings.Builder
	fmt.Fprintf(&b, ", finish %s", t.Finish)
	if s.Advantages != nil && t.N > 0 {
		fmt.Fprintf(&b, ", advantage %g", s.Advantages[t.At])
	}
	if t.Action != "" {
		fmt.Fprintf(&b, ", %s", t.Action)
	}
	for _, a := range t.Attempts {
		fmt.Fprintf(&b, ", call %s (%s)", a.Name, a.Status)
	}
	if t.Reward != nil {
		fmt.Fprintf(&b, ", reward %g", *t.Reward)
	}
	if t.Outcome != nil {
		fmt.Fprintf(&b, ", outcome %g", *t.Outcome)
	}
	if t.Failure != nil {
		fmt.Fprintf(&b, ", failed by %s", t.Failure.Cause)
	}
	if f := t.Fold; f != nil {
		switch {
		case f.Replaced != nil:
			fmt.Fprintf(&b, ", fold replaced messages [%d, %d)", f.Replaced[0], f.Replaced[1])
		default:
			fmt.Fprintf(&b, ", fold rejected: %s", f.Issue)
		}
	}
	return b.String()
}

// text prints a span's text, indented; only what was not sampled is cut.
func (in Inspection) text(b *strings.Builder, text string, kind rollout.PieceKind) {
	if r := []rune(text); kind != rollout.PieceGenerated && in.MaxText > 0 && len(r) > in.MaxText {
		text = string(r[:in.MaxText/2]) + fmt.Sprintf(" … %d runes … ", len(r)-in.MaxText) + string(r[len(r)-in.MaxText/2:])
	}
	for line := range strings.Lines(text) {
		fmt.Fprintf(b, "    | %s\n", strings.Map(printable, strings.TrimSuffix(line, "\n")))
	}
}

// shown is text for a terminal: ids and reasons may come from anybody.
func shown(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return printable(r)
	}, text)
}

// oneLine is text that stays on its line: a task's id comes from a file.
func oneLine(text string) string { return strings.Map(printable, text) }

// printable keeps a model's text from steering the terminal.
func printable(r rune) rune {
	if r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
		return '\uFFFD'
	}
	return r
}

func (in Inspection) messages(b *strings.Builder, s *Sample) {
	var list []rollout.Message
	if s.Messages == nil || json.Unmarshal(s.Messages, &list) != nil {
		b.WriteString("  (the conversation of this row is not known any more; give a tokenizer to read its tokens)\n")
		return
	}
	for _, m := range list {
		fmt.Fprintf(b, "  %s:\n", m.Role)
		kind := rollout.PieceObservation
		if m.Role == rollout.RoleAssistant {
			kind = rollout.PieceGenerated
		}
		if m.Reasoning != "" {
			in.text(b, "(thinking) "+m.Reasoning, kind)
		}
		in.text(b, m.Content, kind)
		for _, c := range m.ToolCalls {
			in.text(b, fmt.Sprintf("call %s %s", c.Name, c.Arguments), kind)
		}
	}
}
