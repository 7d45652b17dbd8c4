package tinylm

import (
	"fmt"
	"io/fs"
	"math"
	"os"
)

// Model is a checkpoint in memory, float32 and read-only: any number of engines may share it.
type Model struct {
	Config

	embed  []float32 // [vocab][hidden]
	head   []float32 // [vocab][hidden]; the embedding itself when tied
	norm   []float32 // [hidden]
	layers []layer
	rope   []float32 // [window][headDim/2] pairs cos, sin
}

// layer holds one decoder layer. Matrices are [out][in]; projections that read the same input are stacked,
// so that one pass over the input serves them all.
type layer struct {
	inNorm, postNorm []float32
	qNorm, kNorm     []float32 // nil without QK-norm
	qkv              []float32 // [(heads+2·kvHeads)·headDim][hidden]
	out              []float32 // [hidden][heads·headDim]
	gateUp           []float32 // [2·ff][hidden]
	down             []float32 // [hidden][ff]
}

// Load reads a checkpoint folder in Hugging Face form.
func Load(dir string) (*Model, error) {
	m, err := LoadFS(os.DirFS(dir))
	if err != nil {
		return nil, fmt.Errorf("checkpoint %s: %w", dir, err)
	}
	return m, nil
}

// LoadFS reads a checkpoint from a file system rooted at its folder: config.json, model.safetensors and, where
// present, generation_config.json. Tokenizer and template are the caller's.
func LoadFS(dir fs.FS) (*Model, error) {
	cfg, err := readConfig(dir)
	if err != nil {
		return nil, err
	}
	raw, err := fs.ReadFile(dir, "model.safetensors")
	if err != nil {
		return nil, fmt.Errorf("read model.safetensors: %w", err)
	}
	m, err := newModel(cfg, raw)
	if err != nil {
		return nil, fmt.Errorf("model.safetensors: %w", err)
	}
	return m, nil
}

func newModel(c Config, raw []byte) (*Model, error) {
	t, err := openTensors(raw)
	if err != nil {
		return nil, err
	}
	r := reader{t: t}
	m := &Model{Config: c}
	m.embed = r.read("model.embed_tokens.weight", c.Vocab, c.Hidden)
	m.norm = r.read("model.norm.weight", c.Hidden)
	m.head = m.embed
	if !c.Tied {
		m.head = r.read("lm_head.weight", c.Vocab, c.Hidden)
	}
	q, kv := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	for i := 0; i < c.Layers && r.err == nil; i++ {
		p := fmt.Sprintf("model.layers.%d.", i)
		l := layer{
			inNorm:   r.read(p+"input_layernorm.weight", c.Hidden),
			postNorm: r.read(p+"post_attention_layernorm.weight", c.Hidden),
			out:      r.read(p+"self_attn.o_proj.weight", c.Hidden, q),
			down:     r.read(p+"mlp.down_proj.weight", c.Hidden, c.FF),
		}
		l.qkv = append(l.qkv, r.read(p+"self_attn.q_proj.weight", q, c.Hidden)...)
		l.qkv = append(l.qkv, r.read(p+"self_attn.k_proj.weight", kv, c.Hidden)...)
		l.qkv = append(l.qkv, r.read(p+"self_attn.v_proj.weight", kv, c.Hidden)...)
		l.gateUp = append(l.gateUp, r.read(p+"mlp.gate_proj.weight", c.FF, c.Hidden)...)
		l.gateUp = append(l.gateUp, r.read(p+"mlp.up_proj.weight", c.FF, c.Hidden)...)
		if c.QKNorm {
			l.qNorm = r.read(p+"self_attn.q_norm.weight", c.HeadDim)
			l.kNorm = r.read(p+"self_attn.k_norm.weight", c.HeadDim)
		}
		m.layers = append(m.layers, l)
	}
	if r.err != nil {
		return nil, r.err
	}
	m.rope = ropeTable(c)
	return m, nil
}

// reader keeps the first error of a series of reads.
type reader struct {
	t   *tensors
	err error
}

func (r *reader) read(name string, shape ...int) []float32 {
	if r.err != nil {
		return nil
	}
	var v []float32
	v, r.err = r.t.float32s(name, shape...)
	return v
}

// ropeTable holds cos and sin of every position and frequency, rounded to float32 where transformers rounds.
func ropeTable(c Config) []float32 {
	half := c.HeadDim / 2
	table := make([]float32, c.Window*half*2)
	for i := range half {
		inv := float32(1 / math.Pow(c.Theta, float64(2*i)/float64(c.HeadDim)))
		for p := range c.Window {
			angle := float64(float32(p) * inv)
			table[(p*half+i)*2] = float32(math.Cos(angle))
			table[(p*half+i)*2+1] = float32(math.Sin(angle))
		}
	}
	return table
}
