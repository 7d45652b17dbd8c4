package tinylm

import "math"

// span is a run of consecutive ids of one sequence to be computed in one pass.
type span struct {
	seq  *kvCache
	ids  []int32
	want want
}

// want says for which of a span's positions logits are needed.
type want uint8

const (
	wantNone want = iota
	wantLast
	wantAll
)

// scratch is the working memory of one forward pass at a time; it grows to the largest pass seen.
type scratch struct {
	x, h, qkv, att, ff, act []float32
	scores                  []float32
	logits                  []float32
	rows                    []row
}

// row is one position being computed.
type row struct {
	seq *kvCache
	pos int
}

func grow(buf *[]float32, n int) []float32 {
	if cap(*buf) < n {
		*buf = make([]float32, n)
	}
	*buf = (*buf)[:n]
	return *buf
}

// forward runs the spans through the model, extends their caches and returns the wanted logits, one row of Vocab
// values each, in the order of the spans. The result is valid until the next call on the same scratch.
// A position's values depend on its own sequence alone (see matmul), not on the other spans or on where a
// sequence was cut into spans. A sequence may appear in one span only.
func (m *Model) forward(s *scratch, spans []span) []float32 {
	s.rows = s.rows[:0]
	var ids []int32
	wanted := 0
	for _, sp := range spans {
		sp.seq.reserve(&m.Config, sp.seq.n+len(sp.ids))
		for i := range sp.ids {
			s.rows = append(s.rows, row{sp.seq, sp.seq.n + i})
		}
		ids = append(ids, sp.ids...)
		sp.seq.n += len(sp.ids)
		wanted += sp.wanted()
	}
	n, hidden := len(s.rows), m.Hidden
	x := grow(&s.x, n*hidden)
	for i, id := range ids {
		copy(x[i*hidden:(i+1)*hidden], m.embed[int(id)*hidden:])
	}
	h := grow(&s.h, n*hidden)
	for i := range m.layers {
		m.attention(s, i, x, h)
		m.mlp(s, &m.layers[i], x, h)
	}
	picked := h[:0]
	at := 0
	for _, sp := range spans {
		first := at + len(sp.ids) - sp.wanted()
		at += len(sp.ids)
		picked = append(picked, x[first*hidden:at*hidden]...)
	}
	rmsNorm(x, picked, m.norm, m.NormEps)
	logits := grow(&s.logits, wanted*m.Vocab)
	matmul(logits, m.Vocab, m.head, x, hidden, m.Vocab, wanted)
	return logits
}

func (sp span) wanted() int {
	switch sp.want {
	case wantLast:
		return min(1, len(sp.ids))
	case wantAll:
		return len(sp.ids)
	}
	return 0
}

// attention adds a layer's attention output to x; h is as long and free to use.
func (m *Model) attention(s *scratch, li int, x, h []float32) {
	l, n := &m.layers[li], len(s.rows)
	q, kv := m.Heads*m.HeadDim, m.KVHeads*m.HeadDim
	width := q + 2*kv
	rmsNorm(h, x, l.inNorm, m.NormEps)
	qkv := grow(&s.qkv, n*width)
	matmul(qkv, width, l.qkv, h, m.Hidden, width, n)
	for i, r := range s.rows {
		vec := qkv[i*width : (i+1)*width]
		m.rotate(vec[:q], l.qNorm, r.pos)
		m.rotate(vec[q:q+kv], l.kNorm, r.pos)
		m.store(r, li, vec[q:q+kv], vec[q+kv:])
	}
	// All keys of this layer are in place: a span's later positions see its earlier ones.
	att := grow(&s.att, n*q)
	for i, r := range s.rows {
		m.attend(s, li, r, att[i*q:(i+1)*q], qkv[i*width:i*width+q])
	}
	matmul(h, m.Hidden, l.out, att, q, m.Hidden, n)
	add(x, h)
}

// rotate applies QK-norm (if the family has it) and RoPE to each head of vec.
func (m *Model) rotate(vec, gain []float32, pos int) {
	if gain != nil {
		rmsNorm(vec, vec, gain, m.NormEps)
	}
	half := m.HeadDim / 2
	table := m.rope[pos*half*2 : (pos+1)*half*2]
	for ; len(vec) > 0; vec = vec[m.HeadDim:] {
		a, b := vec[:half], vec[half:2*half]
		for i := range a {
			cos, sin := table[2*i], table[2*i+1]
			u, v := a[i], b[i]
			a[i] = float32(u*cos) - float32(v*sin)
			b[i] = float32(v*cos) + float32(u*sin)
		}
	}
}

// store writes a position's keys and values to its block.
func (m *Model) store(r row, li int, k, v []float32) {
	b, slot := r.seq.blocks[r.pos/blockLen], r.pos%blockLen
	for head := range m.KVHeads {
		at := ((li*m.KVHeads+head)*blockLen + slot) * m.HeadDim
		copy(b.k[at:at+m.HeadDim], k[head*m.HeadDim:])
		copy(b.v[at:at+m.HeadDim], v[head*m.HeadDim:])
	}
}

// attend sets out to the attention of one position over itself and all before it.
func (m *Model) attend(s *scratch, li int, r row, out, q []float32) {
	group, dim, length := m.Heads/m.KVHeads, m.HeadDim, r.pos+1
	scale := float32(1 / math.Sqrt(float64(dim)))
	scores := grow(&s.scores, group*length)
	clear(out)
	for head := range m.KVHeads {
		base := (li*m.KVHeads + head) * blockLen * dim
		qs := q[head*group*dim : (head+1)*group*dim]
		for first := 0; first < length; first += blockLen {
			rows := min(blockLen, length-first)
			matmul(scores[first:], length, r.seq.blocks[first/blockLen].k[base:base+rows*dim], qs, dim, rows, group)
		}
		for g := range group {
			sc := scores[g*length : (g+1)*length]
			for i := range sc {
				sc[i] *= scale
			}
			sum := softmax(sc)
			o := out[(head*group+g)*dim:][:dim]
			for first := 0; first < length; first += blockLen {
				rows := min(blockLen, length-first)
				mix(o, sc[first:first+rows], r.seq.blocks[first/blockLen].v[base:])
			}
			for i := range o {
				o[i] /= sum
			}
		}
	}
}

// mlp adds a layer's gated MLP output to x; h is as long and free to use.
func (m *Model) mlp(s *scratch, l *layer, x, h []float32) {
	n := len(s.rows)
	rmsNorm(h, x, l.postNorm, m.NormEps)
	ff := grow(&s.ff, n*2*m.FF)
	matmul(ff, 2*m.FF, l.gateUp, h, m.Hidden, 2*m.FF, n)
	act := grow(&s.act, n*m.FF)
	for i := range n {
		r := ff[i*2*m.FF : (i+1)*2*m.FF]
		gate(act[i*m.FF:(i+1)*m.FF], r[:m.FF], r[m.FF:])
	}
	matmul(h, m.Hidden, l.down, act, m.FF, m.Hidden, n)
	add(x, h)
}

func add(x, y []float32) {
	y = y[:len(x)]
	for i := range x {
		x[i] += y[i]
	}
}
