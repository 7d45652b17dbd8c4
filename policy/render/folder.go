package render

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"focus/policy/tokenizer"
)

// handWritten is the SHA-256 of the chat template of the bundled model, for
// which ChatML gives the same ids.
const handWritten = "4f6f31fed01d03cdb566d71728bde18bf15cecc67e6bcf35f4bc5e57430ae355"

// renderer chooses how a folder's conversations are rendered.
func renderer(fsys fs.FS, tok *tokenizer.Tokenizer, o Options) (Renderer, error) {
	stops, err := generationStops(fsys)
	if err != nil {
		return nil, err
	}
	if o.Template != "chatml" {
		src, ok, err := readSource(fsys)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256([]byte(src.Text + src.ForTools))
		if hash := hex.EncodeToString(sum[:]); ok && (hash != handWritten || len(o.Kwargs) > 0) {
			src.Kwargs, src.Stops = o.Kwargs, stops
			if src.Now, err = o.now(); err != nil {
				return nil, err
			}
			return NewTemplate(tok, o.Tokens, src)
		} else if ok {
			c, err := NewChatML(tok, o.Tokens, stops...)
			if err != nil {
				return nil, err
			}
			c.mute, c.hash = true, hash
			return c, nil
		}
		if len(o.Kwargs) > 0 {
			return nil, errors.New("chat_template_kwargs: the folder has no chat template to give them to")
		}
	}
	return NewChatML(tok, o.Tokens, stops...)
}

// LoadTemplate is the renderer over a folder's own chat template.
func LoadTemplate(fsys fs.FS, o Options) (*Template, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	tok, err := tokenizer.LoadFS(fsys)
	if err != nil {
		return nil, err
	}
	src, ok, err := readSource(fsys)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("no chat template: neither chat_template.jinja nor chat_template in tokenizer_config.json")
	}
	src.Kwargs = o.Kwargs
	if src.Stops, err = generationStops(fsys); err != nil {
		return nil, err
	}
	if src.Now, err = o.now(); err != nil {
		return nil, err
	}
	return NewTemplate(tok, o.Tokens, src)
}

// readSource reads a folder's chat template and special tokens. As in
// transformers chat_template.jinja wins over tokenizer_config.json, and of
// several templates tool_use is the one for tools.
func readSource(fsys fs.FS) (Source, bool, error) {
	src := Source{Special: map[string]string{}}
	config := map[string]json.RawMessage{}
	if err := readJSON(fsys, "tokenizer_config.json", &config); err != nil {
		return src, false, err
	}
	for _, name := range []string{"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"} {
		var token struct {
			Content string `json:"content"`
		}
		if json.Unmarshal(config[name], &token.Content) == nil || json.Unmarshal(config[name], &token) == nil {
			if token.Content != "" {
				src.Special[name] = token.Content
			}
		}
	}
	data, err := fs.ReadFile(fsys, "chat_template.jinja")
	if err == nil {
		src.Text = string(data)
		return src, true, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return src, false, err
	}
	raw := config["chat_template"]
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &src.Text) == nil {
		return src, src.Text != "", nil
	}
	var named []struct{ Name, Template string }
	if err := json.Unmarshal(raw, &named); err != nil {
		return src, false, errors.New("tokenizer_config.json: chat_template is neither a text nor a list of them")
	}
	for _, n := range named {
		switch n.Name {
		case "default":
			src.Text = n.Template
		case "tool_use":
			src.ForTools = n.Template
		}
	}
	if src.Text == "" {
		return src, false, errors.New("tokenizer_config.json: none of its chat templates is named default")
	}
	return src, true, nil
}

// readJSON reads a file into v, which stays as it is when there is no file.
func readJSON(fsys fs.FS, name string, v any) error {
	data, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
