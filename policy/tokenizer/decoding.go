package tokenizer

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// decoding is what the file's decoder does, beyond gluing texts together.
type decoding struct {
	replace      []replacement // in the text of an entry
	byteFallback bool          // "<0x0A>" is a byte
	strip        int           // spaces taken from the front of the whole text
	dropFirst    string        // what the first id's text is stripped of, wherever it stands
}

type replacement struct{ from, to string }

func parseDecoder(raw json.RawMessage) (decoding, error) {
	var d decoding
	return d, d.add(raw)
}

func (d *decoding) add(raw json.RawMessage) error {
	if isNull(raw) {
		return nil
	}
	var part struct {
		Type    string            `json:"type"`
		Parts   []json.RawMessage `json:"decoders"`
		Pattern patternField      `json:"pattern"`
		Content string            `json:"content"`
		Start   int               `json:"start"`
		Stop    int               `json:"stop"`
	}
	if err := json.Unmarshal(raw, &part); err != nil {
		return err
	}
	switch part.Type {
	case "Sequence":
		for i, p := range part.Parts {
			if err := d.add(p); err != nil {
				return fmt.Errorf("number %d: %w", i, err)
			}
		}
	case "ByteLevel", "Fuse":
	case "ByteFallback":
		d.byteFallback = true
	case "Replace":
		if part.Pattern.String == nil || *part.Pattern.String == "" {
			return fmt.Errorf("Replace by other than a string: %w", ErrUnsupported)
		}
		d.replace = append(d.replace, replacement{*part.Pattern.String, part.Content})
	case "Strip":
		if part.Content != " " || part.Stop != 0 {
			return fmt.Errorf("Strip of other than spaces in front: %w", ErrUnsupported)
		}
		d.strip += part.Start
	case "Metaspace":
		m, err := parseMetaspace(raw)
		if err != nil {
			return err
		}
		d.replace = append(d.replace, replacement{m.replacement, " "})
		if m.scheme != prependNever {
			d.dropFirst = m.replacement
		}
	default:
		return fmt.Errorf("type %q: %w", part.Type, ErrUnsupported)
	}
	return nil
}

// byteOf is the byte that an entry spelled "<0x0A>" stands for.
func (d *decoding) byteOf(text string) (byte, bool) {
	if !d.byteFallback || len(text) != len("<0x00>") || text[:3] != "<0x" || text[5] != '>' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[3:5], 16, 8)
	return byte(n), err == nil
}
