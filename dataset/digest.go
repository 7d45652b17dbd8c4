package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"slices"
)

// digest is a hash of a set of rows, whatever their order.
type digest struct {
	rows [][sha256.Size]byte
}

// rowHash hashes the columns of one row: lists and texts with their lengths, so
// that no two rows run into each other.
type rowHash struct {
	h   hash.Hash
	buf []byte
}

func newRowHash(t table) *rowHash {
	h := &rowHash{h: sha256.New()}
	h.text(string(t))
	return h
}

func (h *rowHash) uint(v uint64)     { h.h.Write(binary.LittleEndian.AppendUint64(h.buf[:0], v)) }
func (h *rowHash) int(v int64)       { h.uint(uint64(v)) }
func (h *rowHash) float(v float64)   { h.uint(math.Float64bits(v)) }
func (h *rowHash) text(v string)     { h.bytes([]byte(v)) }
func (h *rowHash) bytes(v []byte)    { h.int(int64(len(v))); h.h.Write(v) }
func (h *rowHash) ids(v []int32)     { h.buf = appendIDs(h.buf[:0], v); h.bytes(h.buf) }
func (h *rowHash) float32(v float32) { h.uint(uint64(math.Float32bits(v))) }

func (h *rowHash) flag(v bool) {
	if v {
		h.int(1)
		return
	}
	h.int(0)
}

func (h *rowHash) mask(v []int8) {
	h.buf = h.buf[:0]
	for _, m := range v {
		h.buf = append(h.buf, byte(m))
	}
	h.bytes(h.buf)
}

func (h *rowHash) floats(v []float32) {
	h.flag(v != nil)
	h.buf = h.buf[:0]
	for _, x := range v {
		h.buf = binary.LittleEndian.AppendUint32(h.buf, math.Float32bits(x))
	}
	h.bytes(h.buf)
}

func (h *rowHash) floatOrNull(v *float64) {
	h.flag(v != nil)
	if v != nil {
		h.float(*v)
	}
}

// addSample leaves out the attempt and what is volatile in info: how often a
// rollout was tried and what a server said are not what the rollout did.
func (d *digest) addSample(s *Sample) error {
	h := newRowHash(tableSamples)
	for _, v := range []string{
		string(s.SampleID), string(s.RolloutID), string(s.GroupID), string(s.TaskID), string(s.TreeID), string(s.Kind),
		string(s.StopReason),
	} {
		h.text(v)
	}
	h.int(int64(s.Row))
	h.ids(s.Branch)
	h.ids(s.TokenIDs)
	h.mask(s.SampledMask)
	h.mask(s.LossMask)
	h.floats(s.Logprobs)
	h.floats(s.Advantages)
	h.floats(s.Weights)
	h.int(int64(s.PromptLen))
	h.int(int64(len(s.Spans)))
	for _, p := range s.Spans {
		h.ids([]int32{p.Start, p.Node, p.ContextVersion})
		h.text(string(p.Kind))
		h.text(string(p.Tag))
		h.text(string(p.Version))
	}
	for _, v := range []*float64{s.Reward, s.RewardOutcome, s.RewardStep, s.Return} {
		h.floatOrNull(v)
	}
	for _, v := range []bool{s.IsLastRow, s.Truncated, s.Exact, s.OutcomeAdaptive, s.Valid, s.Law != nil, s.Messages != nil} {
		h.flag(v)
	}
	if l := s.Law; l != nil {
		h.float(l.Temperature)
		h.float(l.TopP)
		h.int(int64(l.TopK))
		h.float(l.MinP)
	}
	h.int(s.Seed)
	h.bytes(s.Messages)
	info, err := marshal(s.Info.steady())
	if err != nil {
		return err
	}
	h.bytes(info)
	// A row without has the hash that it had before there was this column.
	if s.AnchorLogprobs != nil {
		h.text(anchorColumn)
		h.floats(s.AnchorLogprobs)
	}
	d.add(h)
	return nil
}

// addNode leaves out server and times.
func (d *digest) addNode(n *Node) {
	h := newRowHash(tableNodes)
	h.ids([]int32{n.Node, n.Parent, n.Depth, n.Visits, n.Pass, n.Tokens, n.Turns})
	h.ids(n.IDs)
	for _, v := range []string{string(n.Tree), n.Proposal, n.Allocator, n.Status} {
		h.text(v)
	}
	for _, v := range []*float64{n.Value, n.Prior, n.Reward} {
		h.floatOrNull(v)
	}
	d.add(h)
}

func (d *digest) add(h *rowHash) { d.rows = append(d.rows, [sha256.Size]byte(h.h.Sum(nil))) }

// hex is the SHA-256 of the sorted hashes of the rows.
func (d *digest) hex() string {
	slices.SortFunc(d.rows, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	h := sha256.New()
	for _, r := range d.rows {
		h.Write(r[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}
