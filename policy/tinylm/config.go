package tinylm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// Config is the shape of a checkpoint, read from its config.json and generation_config.json.
type Config struct {
	Arch     string  // "LlamaForCausalLM" or "Qwen3ForCausalLM"
	Hidden   int     // width of the residual stream
	Layers   int     // decoder layers
	Heads    int     // query heads
	KVHeads  int     // key and value heads; divides Heads
	HeadDim  int     // width of one head, even
	FF       int     // width of the gated MLP
	Vocab    int     // rows of the embedding
	Window   int     // most positions in one sequence (max_position_embeddings)
	NormEps  float64 // epsilon inside every RMS norm
	Theta    float64 // RoPE base
	Tied     bool    // the embedding is also the output projection
	QKNorm   bool    // RMS norm on each query and key head (Qwen3)
	EOS      []int32 // ids that end a turn, of generation_config.json, else of config.json
	TypeName string  // model_type, for messages
}

// hfConfig holds the keys of config.json that change the arithmetic. Pointers tell absent from zero.
type hfConfig struct {
	Architectures     []string        `json:"architectures"`
	ModelType         string          `json:"model_type"`
	HiddenSize        int             `json:"hidden_size"`
	Layers            int             `json:"num_hidden_layers"`
	Heads             int             `json:"num_attention_heads"`
	KVHeads           *int            `json:"num_key_value_heads"`
	HeadDim           *int            `json:"head_dim"`
	FF                int             `json:"intermediate_size"`
	Vocab             int             `json:"vocab_size"`
	Window            int             `json:"max_position_embeddings"`
	NormEps           *float64        `json:"rms_norm_eps"`
	Theta             *float64        `json:"rope_theta"`
	RopeScaling       json.RawMessage `json:"rope_scaling"`
	RopeParameters    json.RawMessage `json:"rope_parameters"`
	PartialRotary     *float64        `json:"partial_rotary_factor"`
	Act               string          `json:"hidden_act"`
	AttentionBias     bool            `json:"attention_bias"`
	MLPBias           bool            `json:"mlp_bias"`
	UseSlidingWindow  bool            `json:"use_sliding_window"`
	LayerTypes        []string        `json:"layer_types"`
	Tied              *bool           `json:"tie_word_embeddings"`
	QuantizationModel json.RawMessage `json:"quantization_config"`
	EOS               idList          `json:"eos_token_id"`
}

// idList reads an id, a list of ids, or null.
type idList []int32

func (l *idList) UnmarshalJSON(b []byte) error {
	var many []int32
	if json.Unmarshal(b, &many) == nil {
		*l = many
		return nil
	}
	var one int32
	if err := json.Unmarshal(b, &one); err != nil {
		return fmt.Errorf("ids %s: %w", b, err)
	}
	*l = idList{one}
	return nil
}

// readConfig reads config.json and, where there is one, generation_config.json.
func readConfig(dir fs.FS) (Config, error) {
	raw, err := fs.ReadFile(dir, "config.json")
	if err != nil {
		return Config{}, fmt.Errorf("read config.json: %w", err)
	}
	cfg, err := parseConfig(raw)
	if err != nil {
		return Config{}, fmt.Errorf("config.json: %w", err)
	}
	raw, err = fs.ReadFile(dir, "generation_config.json")
	if errors.Is(err, fs.ErrNotExist) {
		return cfg, nil
	}
	if err != nil {
		return Config{}, fmt.Errorf("read generation_config.json: %w", err)
	}
	var gen struct {
		EOS idList `json:"eos_token_id"`
	}
	if err := json.Unmarshal(raw, &gen); err != nil {
		return Config{}, fmt.Errorf("generation_config.json: %w", err)
	}
	if len(gen.EOS) > 0 {
		cfg.EOS = gen.EOS
	}
	for _, id := range cfg.EOS {
		if id < 0 || int(id) >= cfg.Vocab {
			return Config{}, fmt.Errorf("eos_token_id: %d is outside the vocabulary of %d", id, cfg.Vocab)
		}
	}
	return cfg, nil
}

// parseConfig turns config.json into a Config, or reports every setting it cannot honour.
func parseConfig(raw []byte) (Config, error) {
	var h hfConfig
	if err := json.Unmarshal(raw, &h); err != nil {
		return Config{}, err
	}
	var problems []error
	refuse := func(bad bool, format string, args ...any) {
		if bad {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	c := Config{
		TypeName: h.ModelType, Hidden: h.HiddenSize, Layers: h.Layers, Heads: h.Heads, KVHeads: h.Heads, FF: h.FF,
		Vocab: h.Vocab, Window: h.Window, NormEps: 1e-6, Theta: 1e4, EOS: h.EOS,
	}
	if len(h.Architectures) == 1 {
		c.Arch = h.Architectures[0]
	}
	switch c.Arch {
	case "LlamaForCausalLM":
	case "Qwen3ForCausalLM":
		c.QKNorm, c.HeadDim = true, 128 // transformers' default for this family
	default:
		refuse(true, "architectures: %v is not supported (LlamaForCausalLM and Qwen3ForCausalLM are)", h.Architectures)
	}
	if h.KVHeads != nil {
		c.KVHeads = *h.KVHeads
	}
	if h.NormEps != nil {
		c.NormEps = *h.NormEps
	}
	if h.Tied != nil {
		c.Tied = *h.Tied
	}
	refuse(!(c.NormEps > 0), "rms_norm_eps: %v must be above 0", c.NormEps)
	theta, err := ropeTheta(h)
	refuse(err != nil, "%w", err)
	refuse(err == nil && h.Theta != nil && !(theta > 0), "rope_theta: %v must be above 0", theta)
	if theta > 0 {
		c.Theta = theta
	}
	for _, n := range []struct {
		key string
		val int
	}{
		{"hidden_size", c.Hidden}, {"num_hidden_layers", c.Layers}, {"num_attention_heads", c.Heads},
		{"num_key_value_heads", c.KVHeads}, {"intermediate_size", c.FF}, {"vocab_size", c.Vocab},
		{"max_position_embeddings", c.Window},
	} {
		refuse(n.val <= 0 || n.val > 1<<24, "%s: %d is out of range", n.key, n.val)
	}
	if h.HeadDim != nil {
		c.HeadDim = *h.HeadDim
	} else if c.HeadDim == 0 && c.Heads > 0 {
		c.HeadDim = c.Hidden / c.Heads
	}
	refuse(c.HeadDim <= 0 || c.HeadDim%2 != 0 || c.HeadDim > 1<<16, "head_dim: %d must be even and positive", c.HeadDim)
	refuse(c.KVHeads > 0 && c.Heads%c.KVHeads != 0, "num_key_value_heads: %d does not divide %d heads", c.KVHeads, c.Heads)
	refuse(h.Act != "" && h.Act != "silu", "hidden_act: %q is not supported (silu is)", h.Act)
	refuse(h.AttentionBias, "attention_bias: true is not supported")
	refuse(h.MLPBias, "mlp_bias: true is not supported")
	refuse(h.UseSlidingWindow, "use_sliding_window: true is not supported")
	refuse(slices.ContainsFunc(h.LayerTypes, func(t string) bool { return t != "full_attention" }),
		"layer_types: %v is not supported (full_attention is)", h.LayerTypes)
	refuse(h.PartialRotary != nil && *h.PartialRotary != 1, "partial_rotary_factor: only 1 is supported")
	refuse(len(h.QuantizationModel) > 0 && string(h.QuantizationModel) != "null", "quantization_config: quantised weights are not supported")
	return c, errors.Join(problems...)
}

// ropeTheta reads the RoPE base from either generation of keys and refuses every scaling of positions.
func ropeTheta(h hfConfig) (float64, error) {
	var theta float64
	if h.Theta != nil {
		theta = *h.Theta
	}
	for _, form := range []struct {
		key string
		raw json.RawMessage
	}{{"rope_scaling", h.RopeScaling}, {"rope_parameters", h.RopeParameters}} {
		if len(form.raw) == 0 || string(form.raw) == "null" {
			continue
		}
		var p struct {
			Type    string   `json:"rope_type"`
			Old     string   `json:"type"`
			Theta   *float64 `json:"rope_theta"`
			Partial *float64 `json:"partial_rotary_factor"`
		}
		if err := json.Unmarshal(form.raw, &p); err != nil {
			return 0, fmt.Errorf("%s: %w", form.key, err)
		}
		for _, t := range []string{p.Type, p.Old} {
			if t != "" && t != "default" {
				return 0, fmt.Errorf("%s: type %q is not supported (default is)", form.key, t)
			}
		}
		if p.Partial != nil && *p.Partial != 1 {
			return 0, fmt.Errorf("%s.partial_rotary_factor: only 1 is supported", form.key)
		}
		if p.Theta != nil {
			theta = *p.Theta
		}
	}
	if theta < 0 {
		return 0, fmt.Errorf("rope_theta: %g must be positive", theta)
	}
	return theta, nil
}
