package dataset

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"focus/rollout"
)

// scan reads one row, a column after the other, in the order of the schema.
// What it returns is a copy: the batch may be released.
type scan struct {
	rec     arrow.Record
	at, row int
	// err is the first null in a column that must not have one.
	err error
}

func (s *scan) next() arrow.Array {
	s.at++
	return s.rec.Column(s.at - 1)
}

func (s *scan) must() arrow.Array {
	a := s.next()
	if a.IsNull(s.row) && s.err == nil {
		s.err = fmt.Errorf("column %s is null: %w", s.rec.ColumnName(s.at-1), ErrLength)
	}
	return a
}

func (s *scan) text() string { return strings.Clone(s.must().(*array.String).Value(s.row)) }
func (s *scan) int32() int32 { return s.must().(*array.Int32).Value(s.row) }
func (s *scan) int64() int64 { return s.must().(*array.Int64).Value(s.row) }

// flag is a column of 0 and 1.
func (s *scan) flag() bool {
	v := s.must().(*array.Int8).Value(s.row)
	if v != 0 && v != 1 && s.err == nil {
		s.err = fmt.Errorf("column %s is %d, want 0 or 1: %w", s.rec.ColumnName(s.at-1), v, ErrMask)
	}
	return v == 1
}

func (s *scan) floatOrNull() *float64 {
	a := s.next().(*array.Float64)
	if a.IsNull(s.row) {
		return nil
	}
	v := a.Value(s.row)
	return &v
}

func (s *scan) list(a arrow.Array) (arrow.Array, int64, int64) {
	l := a.(*array.List)
	if l.ListValues().NullN() > 0 && s.err == nil {
		s.err = fmt.Errorf("column %s has a null in a list: %w", s.rec.ColumnName(s.at-1), ErrLength)
	}
	from, to := l.ValueOffsets(s.row)
	return l.ListValues(), from, to
}

func (s *scan) int32s() []int32 {
	a, from, to := s.list(s.must())
	return slices.Clone(a.(*array.Int32).Int32Values()[from:to])
}

func (s *scan) int8s() []int8 {
	a, from, to := s.list(s.must())
	return slices.Clone(a.(*array.Int8).Int8Values()[from:to])
}

func (s *scan) texts() []string {
	a, from, to := s.list(s.must())
	out := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		out = append(out, strings.Clone(a.(*array.String).Value(int(i))))
	}
	return out
}

func (s *scan) floats() []float32 { return s.float32s(s.must()) }

func (s *scan) floatsOrNull() []float32 {
	a := s.next()
	if a.IsNull(s.row) {
		return nil
	}
	return s.float32s(a)
}

// newer is floatsOrNull of a column that files of older formats lack.
func (s *scan) newer(name string) []float32 {
	if s.rec.ColumnName(s.at) != name {
		return nil
	}
	return s.floatsOrNull()
}

func (s *scan) float32s(a arrow.Array) []float32 {
	values, from, to := s.list(a)
	return append(make([]float32, 0, to-from), values.(*array.Float32).Float32Values()[from:to]...)
}

func readSample(rec arrow.Record, row int) (*Sample, error) {
	c := &scan{rec: rec, row: row}
	s := &Sample{
		SampleID: rollout.SampleID(c.text()), RolloutID: rollout.RolloutID(c.text()), GroupID: rollout.GroupID(c.text()),
		TaskID: rollout.TaskID(c.text()), TreeID: rollout.TreeID(c.text()),
		Attempt: c.int32(), Row: c.int32(), IsLastRow: c.flag(), Kind: Kind(c.text()), Branch: c.int32s(),
		TokenIDs: c.int32s(), SampledMask: c.int8s(), LossMask: c.int8s(), Logprobs: c.floats(), AnchorLogprobs: c.newer(anchorColumn),
		Advantages: c.floatsOrNull(), Weights: c.floatsOrNull(), PromptLen: c.int32(),
		Spans:  c.spans(),
		Reward: c.floatOrNull(), RewardOutcome: c.floatOrNull(), RewardStep: c.floatOrNull(), Return: c.floatOrNull(),
		StopReason: rollout.StopReason(c.text()), Truncated: c.flag(), Exact: c.flag(), OutcomeAdaptive: c.flag(), Valid: c.flag(),
		Law: c.law(), Seed: c.int64(), Messages: c.messages(),
	}
	s.infoText = c.text()
	if c.err != nil {
		return nil, c.err
	}
	if err := json.Unmarshal([]byte(s.infoText), &s.Info); err != nil {
		return nil, fmt.Errorf("info: %w: %w", err, ErrText)
	}
	return s, nil
}

func (s *scan) spans() []Span {
	start, node, kind, tag, version, contextVersion := s.int32s(), s.int32s(), s.texts(), s.texts(), s.texts(), s.int32s()
	n := len(start)
	if len(node) != n || len(kind) != n || len(tag) != n || len(version) != n || len(contextVersion) != n {
		if s.err == nil {
			s.err = fmt.Errorf("the span columns have different lengths: %w", ErrSpan)
		}
		return nil
	}
	out := make([]Span, n)
	for i := range out {
		out[i] = Span{
			Start: start[i], Node: node[i], Kind: rollout.PieceKind(kind[i]), Tag: rollout.Tag(tag[i]),
			Version: rollout.PolicyVersion(version[i]), ContextVersion: contextVersion[i],
		}
	}
	return out
}

func (s *scan) law() *Law {
	temperature, topP := s.floatOrNull(), s.floatOrNull()
	topK := s.next().(*array.Int32)
	minP := s.floatOrNull()
	if temperature == nil || topP == nil || topK.IsNull(s.row) || minP == nil {
		if (temperature != nil || topP != nil || topK.IsValid(s.row) || minP != nil) && s.err == nil {
			s.err = fmt.Errorf("temperature, top_p, top_k and min_p are null together or not at all: %w", ErrIdentity)
		}
		return nil
	}
	return &Law{Temperature: *temperature, TopP: *topP, TopK: topK.Value(s.row), MinP: *minP}
}

func (s *scan) messages() json.RawMessage {
	a := s.next().(*array.String)
	if a.IsNull(s.row) {
		return nil
	}
	return json.RawMessage(a.Value(s.row))
}

func readNode(rec arrow.Record, row int) (*Node, error) {
	c := &scan{rec: rec, row: row}
	n := &Node{
		Node: c.int32(), Parent: c.parent(), Tree: rollout.TreeID(c.text()), Depth: c.int32(), IDs: c.int32s(),
		Visits: c.int32(), Value: c.floatOrNull(), Prior: c.floatOrNull(), Reward: c.floatOrNull(),
		Proposal: c.text(), Allocator: c.text(), Pass: c.int32(), Tokens: c.int32(), Turns: c.int32(),
		Status: c.text(), Server: c.text(), Started: c.instant(),
		Generate: time.Duration(c.int64()) * time.Microsecond, Apply: time.Duration(c.int64()) * time.Microsecond,
	}
	return n, c.err
}

func (s *scan) parent() int32 {
	a := s.next().(*array.Int32)
	if a.IsNull(s.row) {
		return NoParent
	}
	return a.Value(s.row)
}

func (s *scan) instant() time.Time {
	a := s.next().(*array.Timestamp)
	if a.IsNull(s.row) {
		return time.Time{}
	}
	return time.UnixMicro(int64(a.Value(s.row))).UTC()
}
