package tinylm

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// ErrSafetensors marks a file that is not well-formed safetensors, or holds a tensor of a form we do not read.
var ErrSafetensors = errors.New("bad safetensors file")

// tensors is an opened safetensors file: the header is checked, the values are converted when asked for.
type tensors struct {
	data   []byte
	header map[string]tensorInfo
}

type tensorInfo struct {
	DType   string    `json:"dtype"`
	Shape   []int     `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`
}

// openTensors reads the header: a little-endian u64 length, that many bytes of JSON, then the values.
func openTensors(file []byte) (*tensors, error) {
	if len(file) < 8 {
		return nil, fmt.Errorf("%w: %d bytes, no header length", ErrSafetensors, len(file))
	}
	n := binary.LittleEndian.Uint64(file)
	if n > uint64(len(file)-8) {
		return nil, fmt.Errorf("%w: header of %d bytes in a file of %d", ErrSafetensors, n, len(file))
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(file[8:8+n], &entries); err != nil {
		return nil, fmt.Errorf("%w: header: %w", ErrSafetensors, err)
	}
	t := &tensors{data: file[8+n:], header: make(map[string]tensorInfo, len(entries))}
	for name, raw := range entries {
		if name == "__metadata__" {
			continue
		}
		var info tensorInfo
		if err := json.Unmarshal(raw, &info); err != nil {
			return nil, fmt.Errorf("%w: tensor %s: %w", ErrSafetensors, name, err)
		}
		if err := info.check(uint64(len(t.data))); err != nil {
			return nil, fmt.Errorf("%w: tensor %s: %w", ErrSafetensors, name, err)
		}
		t.header[name] = info
	}
	return t, nil
}

// width is the size of one value in bytes; 0 for a type this package does not read.
func (i tensorInfo) width() uint64 {
	switch i.DType {
	case "F32":
		return 4
	case "BF16", "F16":
		return 2
	}
	return 0
}

func (i tensorInfo) check(size uint64) error {
	lo, hi := i.Offsets[0], i.Offsets[1]
	if lo > hi || hi > size {
		return fmt.Errorf("offsets [%d,%d) outside %d bytes", lo, hi, size)
	}
	w := i.width()
	if w == 0 {
		return nil // another type: an error only for whoever asks for this tensor
	}
	want := w
	for _, d := range i.Shape {
		if d < 0 || (d > 0 && want > math.MaxInt64/uint64(d)) {
			return fmt.Errorf("shape %v", i.Shape)
		}
		want *= uint64(d)
	}
	if hi-lo != want {
		return fmt.Errorf("shape %v of %s needs %d bytes, has %d", i.Shape, i.DType, want, hi-lo)
	}
	return nil
}

// float32s returns a tensor of exactly this shape as new float32 values.
func (t *tensors) float32s(name string, shape ...int) ([]float32, error) {
	info, ok := t.header[name]
	if !ok {
		return nil, fmt.Errorf("%w: no tensor %s", ErrSafetensors, name)
	}
	n := 1
	for _, d := range shape {
		n *= d
	}
	if fmt.Sprint(info.Shape) != fmt.Sprint(shape) {
		return nil, fmt.Errorf("%w: tensor %s has shape %v, the config says %v", ErrSafetensors, name, info.Shape, shape)
	}
	src := t.data[info.Offsets[0]:info.Offsets[1]]
	out := make([]float32, n)
	switch info.DType {
	case "F32":
		for i := range out {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		}
	case "BF16":
		for i := range out {
			out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(src[2*i:])) << 16)
		}
	case "F16":
		for i := range out {
			out[i] = fromHalf(binary.LittleEndian.Uint16(src[2*i:]))
		}
	default:
		return nil, fmt.Errorf("%w: tensor %s has type %s (F32, BF16 and F16 are read)", ErrSafetensors, name, info.DType)
	}
	return out, nil
}

// fromHalf widens an IEEE binary16, exactly.
func fromHalf(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp := uint32(h>>10) & 0x1f
	frac := uint32(h) & 0x3ff
	switch exp {
	case 0: // zero and subnormals: frac · 2^-24
		f := float32(frac) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(f) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}
