package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"focus/policy/tokenizer"
	"focus/rollout"
)

// Options say how a model's folder is turned into a Chat. The zero value is
// the default of every field.
type Options struct {
	// Template is the renderer; "" is auto: the folder's own chat template, and
	// ChatML where it has none. "chatml" is the hand-written ChatML with Hermes
	// tools, whatever the folder has.
	Template string `yaml:"template"`
	// Kwargs are further variables of the chat template, such as
	// enable_thinking. ChatML has none.
	Kwargs map[string]any `yaml:"chat_template_kwargs"`
	// Date is what a template that asks for the date is told, such as
	// 2026-01-31. Default: none, and such templates are refused.
	Date string `yaml:"date"`
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
	if o.Template != "" && o.Template != "auto" && o.Template != "chatml" {
		bad("template", o.Template, "auto or chatml")
	}
	if _, err := o.now(); err != nil {
		bad("date", o.Date, "a date such as 2026-01-31")
	}
	if len(o.Kwargs) > 0 && o.Template == "chatml" {
		errs = append(errs, errors.New("chat_template_kwargs: template chatml takes none"))
	}
	if o.Tokens != "" && o.Tokens != Safe && o.Tokens != HFExact {
		bad("tokens", string(o.Tokens), "safe or hf-exact")
	}
	if o.History != "" && o.History != Keep && o.History != Fork && o.History != Fail {
		bad("history", string(o.History), "keep, fork or fail")
	}
	return errors.Join(errs...)
}

// Load makes a Chat of a model's folder: tokenizer.json, and where there are
// any the chat template, the special tokens of tokenizer_config.json and the
// stop ids of generation_config.json.
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
	r, err := renderer(fsys, tok, o)
	if err != nil {
		return nil, err
	}
	return NewChat(r, tok, o.History)
}

// now is the date at noon, so that no time zone moves it.
func (o Options) now() (time.Time, error) {
	if o.Date == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, o.Date)
	return day.Add(12 * time.Hour), err
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
