package dataset

import (
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// cursor writes one row, a column after the other, in the order of the schema.
type cursor struct {
	b  *array.RecordBuilder
	at int
}

func (c *cursor) next() array.Builder {
	c.at++
	return c.b.Field(c.at - 1)
}

func (c *cursor) text(v string)   { c.next().(*array.StringBuilder).Append(v) }
func (c *cursor) int32(v int32)   { c.next().(*array.Int32Builder).Append(v) }
func (c *cursor) int64(v int64)   { c.next().(*array.Int64Builder).Append(v) }
func (c *cursor) float(v float64) { c.next().(*array.Float64Builder).Append(v) }
func (c *cursor) null()           { c.next().AppendNull() }

func (c *cursor) flag(v bool) {
	b := c.next().(*array.Int8Builder)
	if v {
		b.Append(1)
		return
	}
	b.Append(0)
}

func (c *cursor) floatOrNull(v *float64) {
	if v == nil {
		c.null()
		return
	}
	c.float(*v)
}

func (c *cursor) textOrNull(v []byte) {
	if v == nil {
		c.null()
		return
	}
	c.text(string(v))
}

func (c *cursor) list() array.Builder {
	l := c.next().(*array.ListBuilder)
	l.Append(true)
	return l.ValueBuilder()
}

func (c *cursor) int32s(v []int32) { c.list().(*array.Int32Builder).AppendValues(v, nil) }
func (c *cursor) int8s(v []int8)   { c.list().(*array.Int8Builder).AppendValues(v, nil) }

func (c *cursor) floats(v []float32) {
	if v == nil {
		c.null()
		return
	}
	c.list().(*array.Float32Builder).AppendValues(v, nil)
}

// appendSample writes a row; info is s.Info as JSON.
func appendSample(b *array.RecordBuilder, s *Sample, info []byte) {
	c := &cursor{b: b}
	c.text(string(s.SampleID))
	c.text(string(s.RolloutID))
	c.text(string(s.GroupID))
	c.text(string(s.TaskID))
	c.text(string(s.TreeID))
	c.int32(s.Attempt)
	c.int32(s.Row)
	c.flag(s.IsLastRow)
	c.text(string(s.Kind))
	c.int32s(s.Branch)
	c.int32s(s.TokenIDs)
	c.int8s(s.SampledMask)
	c.int8s(s.LossMask)
	// A row of no tokens has logprobs: an empty list, not null.
	c.list().(*array.Float32Builder).AppendValues(s.Logprobs, nil)
	c.floats(s.AnchorLogprobs)
	c.floats(s.Advantages)
	c.floats(s.Weights)
	c.int32(s.PromptLen)
	appendSpans(c, s.Spans)
	for _, v := range []*float64{s.Reward, s.RewardOutcome, s.RewardStep, s.Return} {
		c.floatOrNull(v)
	}
	c.text(string(s.StopReason))
	for _, v := range []bool{s.Truncated, s.Exact, s.OutcomeAdaptive, s.Valid} {
		c.flag(v)
	}
	appendLaw(c, s.Law)
	c.int64(s.Seed)
	c.textOrNull(s.Messages)
	c.text(string(info))
}

func appendSpans(c *cursor, spans []Span) {
	start, node := c.list().(*array.Int32Builder), c.list().(*array.Int32Builder)
	kind, tag := c.list().(*array.StringBuilder), c.list().(*array.StringBuilder)
	version, contextVersion := c.list().(*array.StringBuilder), c.list().(*array.Int32Builder)
	for _, s := range spans {
		start.Append(s.Start)
		node.Append(s.Node)
		kind.Append(string(s.Kind))
		tag.Append(string(s.Tag))
		version.Append(string(s.Version))
		contextVersion.Append(s.ContextVersion)
	}
}

func appendLaw(c *cursor, l *Law) {
	if l == nil {
		for range 4 {
			c.null()
		}
		return
	}
	c.float(l.Temperature)
	c.float(l.TopP)
	c.int32(l.TopK)
	c.float(l.MinP)
}

func appendNode(b *array.RecordBuilder, n *Node) {
	c := &cursor{b: b}
	c.int32(n.Node)
	if n.Parent == NoParent {
		c.null()
	} else {
		c.int32(n.Parent)
	}
	c.text(string(n.Tree))
	c.int32(n.Depth)
	c.int32s(n.IDs)
	c.int32(n.Visits)
	c.floatOrNull(n.Value)
	c.floatOrNull(n.Prior)
	c.floatOrNull(n.Reward)
	c.text(n.Proposal)
	c.text(n.Allocator)
	c.int32(n.Pass)
	c.int32(n.Tokens)
	c.int32(n.Turns)
	c.text(n.Status)
	c.text(n.Server)
	if n.Started.IsZero() {
		c.null()
	} else {
		c.next().(*array.TimestampBuilder).Append(arrow.Timestamp(n.Started.UnixMicro()))
	}
	c.int64(n.Generate.Round(time.Microsecond).Microseconds())
	c.int64(n.Apply.Round(time.Microsecond).Microseconds())
}
