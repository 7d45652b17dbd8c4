package tinylm

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestUnsupportedSettingsAreNamed(t *testing.T) {
	good, err := os.ReadFile("testdata/llama/config.json")
	require.NoError(t, err)
	_, err = parseConfig(good)
	require.NoError(t, err)
	for key, value := range map[string]any{
		"architectures":           []string{"MixtralForCausalLM"},
		"hidden_act":              "gelu",
		"attention_bias":          true,
		"mlp_bias":                true,
		"use_sliding_window":      true,
		"layer_types":             []string{"full_attention", "sliding_attention"},
		"rope_scaling":            map[string]any{"type": "linear", "factor": 2},
		"rope_parameters":         map[string]any{"rope_type": "llama3", "rope_theta": 1e4},
		"partial_rotary_factor":   0.5,
		"quantization_config":     map[string]any{"quant_method": "awq"},
		"num_key_value_heads":     3,
		"head_dim":                7,
		"hidden_size":             0,
		"num_hidden_layers":       -1,
		"max_position_embeddings": 0,
	} {
		var c map[string]any
		require.NoError(t, json.Unmarshal(good, &c))
		c[key] = value
		raw, err := json.Marshal(c)
		require.NoError(t, err)
		_, err = parseConfig(raw)
		require.ErrorContains(t, err, key, "%v", value)
	}
}

func TestRopeThetaOfEitherForm(t *testing.T) {
	const shape = `"architectures":["Qwen3ForCausalLM"],"hidden_size":8,"num_hidden_layers":1,"num_attention_heads":2,` +
		`"intermediate_size":8,"vocab_size":8,"max_position_embeddings":8,`
	for tail, want := range map[string]float64{
		`"rope_theta":5e5}`: 5e5,
		`"rope_parameters":{"rope_type":"default","rope_theta":1e6}}`:    1e6,
		`"rope_theta":5e5,"rope_scaling":{"rope_type":"default"}}`:       5e5,
		`"rope_scaling":null,"head_dim":4,"eos_token_id":[1,2]}`:         1e4,
		`"rope_theta":7,"rope_parameters":null,"num_key_value_heads":1}`: 7,
	} {
		c, err := parseConfig([]byte("{" + shape + tail))
		require.NoError(t, err, tail)
		require.Equal(t, want, c.Theta, tail)
		require.True(t, c.QKNorm)
	}
}

func TestHalfPrecision(t *testing.T) {
	for bits, want := range map[uint16]float32{
		0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0001: 0x1p-24, 0x83ff: -1023 * 0x1p-24, 0x3555: 0.33325195,
		0x7c00: float32(math.Inf(1)), 0xfc00: float32(math.Inf(-1)),
	} {
		require.Equal(t, want, fromHalf(bits), "%#04x", bits)
	}
	require.True(t, math.IsNaN(float64(fromHalf(0x7e00))))
}

func file(header string, data []byte) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), data...)
}

func TestDamagedCheckpointsAreRefused(t *testing.T) {
	whole, err := os.ReadFile("testdata/llama/model.safetensors")
	require.NoError(t, err)
	config, err := os.ReadFile("testdata/llama/config.json")
	require.NoError(t, err)
	for name, raw := range map[string][]byte{
		"empty":          nil,
		"length only":    whole[:8],
		"cut header":     whole[:200],
		"cut values":     whole[:len(whole)-1],
		"huge header":    append([]byte{255, 255, 255, 255, 255, 255, 255, 255}, whole...),
		"not JSON":       file("hello", nil),
		"bad offsets":    file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}`, make([]byte, 4)),
		"wrong size":     file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, make([]byte, 4)),
		"overflow shape": file(`{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}}`, nil),
		"negative shape": file(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,0]}}`, nil),
		"no tensors":     file(`{}`, nil),
	} {
		_, err := LoadFS(fstest.MapFS{"config.json": {Data: config}, "model.safetensors": {Data: raw}})
		require.ErrorIs(t, err, ErrSafetensors, name)
		require.ErrorContains(t, err, "model.safetensors", name)
	}
	wider := strings.Replace(string(config), `"hidden_size": 32`, `"hidden_size": 64`, 1)
	_, err = LoadFS(fstest.MapFS{"config.json": {Data: []byte(wider)}, "model.safetensors": {Data: whole}})
	require.ErrorContains(t, err, "model.embed_tokens.weight has shape [64 32], the config says [64 64]")
	_, err = LoadFS(fstest.MapFS{})
	require.ErrorContains(t, err, "config.json")
	_, err = Load("testdata/nothing")
	require.ErrorContains(t, err, "testdata/nothing")
}

func FuzzOpenTensors(f *testing.F) {
	whole, err := os.ReadFile("testdata/llama/model.safetensors")
	require.NoError(f, err)
	f.Add(whole)
	f.Add(file(`{"a":{"dtype":"BF16","shape":[2,1],"data_offsets":[0,4]},"__metadata__":{"format":"pt"}}`, make([]byte, 4)))
	f.Add(file(`{"a":{"dtype":"I8","shape":[],"data_offsets":[0,4]}}`, make([]byte, 4)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		open, err := openTensors(raw)
		if err != nil {
			require.ErrorIs(t, err, ErrSafetensors)
			return
		}
		for name, info := range open.header {
			values, err := open.float32s(name, info.Shape...)
			if err != nil {
				require.ErrorIs(t, err, ErrSafetensors)
				continue
			}
			require.EqualValues(t, info.Offsets[1]-info.Offsets[0], info.width()*uint64(len(values)))
		}
	})
}
