package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"focus/policy/tokenizer"
	"focus/rollout"
)

// Options say how a model's folder is turned into a Chat. The zero value is
// the default of every field.
type Options struct {
	// Template is the renderer; "" and "chatml" are the hand-written ChatML
	// with Hermes tools, the only one there is.
	Template string `yaml:"template"`
	// Tokens says what text from messages and tools may become; "" is safe.
	Tokens Trust `yaml:"tokens"`
	// History says what to do when the template rewrites it; "" is fork.
	History History `yaml:"history"`
}

// Validate reports every option that is not known, by its key.
func (o Options) Validate() error {
	var errs []error
	bad := func(key, got, want string) {
		errs = append(errs, fmt.Errorf("%s: %q is not known, must be %s", key, got, want))
	}
	if o.Template != "" && o.Template != "chatml" {
		bad("template", o.Template, "chatml")
	}
	if o.Tokens != "" && o.Tokens != Safe && o.Tokens != HFExact {
		bad("tokens", string(o.Tokens), "safe or hf-exact")
	}
	if o.History != "" && o.History != Keep && o.History != Fork && o.History != Fail {
		bad("history", string(o.History), "keep, fork or fail")
	}
	return errors.Join(errs...)
}

// Load makes a Chat of a model's folder: tokenizer.json, and the stop ids of
// generation_config.json where there is one.
func Load(dir string, o Options) (*Chat, error) {
	c, err := LoadFS(os.DirFS(dir), o)
	if err != nil {
		return nil, fmt.Errorf("model folder %s: %w", dir, err)
	}
	return c, nil
}

// LoadFS is Load for the root of a file system.
func LoadFS(fsys fs.FS, o Options) (*Chat, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	tok, err := tokenizer.LoadFS(fsys)
	if err != nil {
		return nil, err
	}
	stops, err := generationStops(fsys)
	if err != nil {
		return nil, err
	}
	r, err := NewChatML(tok, o.Tokens, stops...)
	if err != nil {
		return nil, err
	}
	return NewChat(r, tok, o.History)
}

// generationStops is eos_token_id of generation_config.json: an id or a list.
func generationStops(fsys fs.FS) ([]rollout.TokenID, error) {
	const name = "generation_config.json"
	data, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var config struct {
		EOS json.RawMessage `json:"eos_token_id"`
	}
	if err := json.Unmarshal(data, &config); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(config.EOS) == 0 || string(config.EOS) == "null" {
		return nil, nil
	}
	var one rollout.TokenID
	if json.Unmarshal(config.EOS, &one) == nil {
		return []rollout.TokenID{one}, nil
	}
	var many []rollout.TokenID
	if err := json.Unmarshal(config.EOS, &many); err != nil {
		return nil, fmt.Errorf("%s: eos_token_id is neither an id nor a list of ids", name)
	}
	return many, nil
}
