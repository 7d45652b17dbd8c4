package parser

import (
	"bytes"
	"encoding/json"
	"slices"
)

// object builds a JSON object from keys and values in the order of the text.
type object struct {
	buf  bytes.Buffer
	keys keySet
}

// add reports whether the key is new; a value is JSON already.
func (o *object) add(key string, value []byte) bool {
	first := len(o.keys.list) == 0
	if !o.keys.add(key) {
		return false
	}
	if first {
		o.buf.WriteByte('{')
	} else {
		o.buf.WriteString(", ")
	}
	o.buf.Write(quote(key))
	o.buf.WriteString(": ")
	o.buf.Write(value)
	return true
}

func (o *object) json() json.RawMessage {
	if len(o.keys.list) == 0 {
		return json.RawMessage("{}")
	}
	return append(o.buf.Bytes(), '}')
}

// keySet is the keys of one object. It is walked while it is small, which
// allocates nothing; an object of n keys must not cost n².
type keySet struct {
	list []string
	seen map[string]bool
}

// manyKeys is from where on a map is faster than a walk.
const manyKeys = 16

// add reports whether the key is new.
func (k *keySet) add(key string) bool {
	switch {
	case k.seen != nil:
		if k.seen[key] {
			return false
		}
		k.seen[key] = true
	case slices.Contains(k.list, key):
		return false
	case len(k.list) == manyKeys:
		k.seen = make(map[string]bool)
		for _, old := range k.list {
			k.seen[old] = true
		}
		k.seen[key] = true
	}
	if k.list == nil {
		k.list = make([]string, 0, 8)
	}
	k.list = append(k.list, key)
	return true
}

// quote is s as a JSON string. HTML is left alone: arguments are shown to the
// model again.
func quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("parser: a string does not encode: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
