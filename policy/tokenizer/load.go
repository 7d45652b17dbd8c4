package tokenizer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

const (
	tokenizerFile = "tokenizer.json"
	configFile    = "tokenizer_config.json"
)

// ErrUnsupported is wrapped by the error for a file that asks for what this package
// does not do.
var ErrUnsupported = errors.New("not supported")

// Load reads tokenizer.json, and tokenizer_config.json if there is one, from a model's
// folder. As in transformers the configuration can add tokens to the file's.
func Load(dir string) (*Tokenizer, error) {
	t, err := LoadFS(os.DirFS(dir))
	if err != nil {
		return nil, fmt.Errorf("tokenizer of %s: %w", dir, err)
	}
	return t, nil
}

// LoadFS is Load for the root of a file system.
func LoadFS(fsys fs.FS) (*Tokenizer, error) {
	data, err := fs.ReadFile(fsys, tokenizerFile)
	if err != nil {
		return nil, err
	}
	t, err := Parse(data)
	if err != nil {
		return nil, err
	}
	return t.withConfig(fsys)
}

// Parse builds a tokenizer from the bytes of a tokenizer.json.
func Parse(tokenizerJSON []byte) (*Tokenizer, error) {
	s, err := parseSpec(tokenizerJSON)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tokenizerFile, err)
	}
	t, err := build(s, hashOf(tokenizerJSON))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tokenizerFile, err)
	}
	return t, nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// withConfig is t with what tokenizer_config.json adds, if it is there.
func (t *Tokenizer) withConfig(fsys fs.FS) (*Tokenizer, error) {
	data, err := fs.ReadFile(fsys, configFile)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	more, err := configTokens(data, t.header.Added)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", configFile, err)
	}
	if len(more) == 0 {
		return t, nil
	}
	return t.withAdded(more), nil
}
