package parser

import (
	"encoding/json"

	"focus/rollout"
)

// kinds is the set of JSON types that a schema allows.
type kinds uint8

const (
	kindString kinds = 1 << iota
	kindNull
	kindInteger
	kindNumber
	kindBoolean
	kindObject
	kindArray
)

func (k kinds) has(other kinds) bool { return k&other != 0 }

var kindNames = map[string]kinds{
	"string": kindString, "null": kindNull, "integer": kindInteger, "number": kindNumber,
	"boolean": kindBoolean, "object": kindObject, "array": kindArray,
}

// schema is what typing a text needs of a JSON schema. A schema that does not
// parse says nothing.
type schema struct {
	Type                any                        `json:"type"`
	Enum                []any                      `json:"enum"`
	AnyOf, OneOf, AllOf []schema                   `json:"-"`
	Properties          map[string]json.RawMessage `json:"properties"`
	Items               json.RawMessage            `json:"items"`
}

func (s *schema) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '{' {
		return nil
	}
	type plain schema
	var all struct {
		plain
		AnyOf []schema `json:"anyOf"`
		OneOf []schema `json:"oneOf"`
		AllOf []schema `json:"allOf"`
	}
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	*s = schema(all.plain)
	s.AnyOf, s.OneOf, s.AllOf = all.AnyOf, all.OneOf, all.AllOf
	return nil
}

func parseSchema(b []byte) *schema {
	var s schema
	if json.Unmarshal(b, &s) != nil {
		return &schema{}
	}
	return &s
}

// property is the schema of a key and whether it is declared; the same through
// the parts of a combined schema.
func (s *schema) property(key string) (*schema, bool) {
	if b, ok := s.Properties[key]; ok {
		return parseSchema(b), true
	}
	for _, list := range [][]schema{s.AnyOf, s.OneOf, s.AllOf} {
		for i := range list {
			if p, ok := list[i].property(key); ok {
				return p, true
			}
		}
	}
	return &schema{}, false
}

// kinds is what the schema allows; a schema that names no type is of text.
func (s *schema) kinds() kinds {
	if k := s.named(); k != 0 {
		return k
	}
	return kindString
}

func (s *schema) named() kinds {
	var k kinds
	switch t := s.Type.(type) {
	case string:
		k |= kindNames[t]
	case []any:
		for _, name := range t {
			if name, ok := name.(string); ok {
				k |= kindNames[name]
			}
		}
	}
	for _, v := range s.Enum {
		k |= kindOf(v)
	}
	for _, list := range [][]schema{s.AnyOf, s.OneOf, s.AllOf} {
		for i := range list {
			k |= list[i].named()
		}
	}
	return k
}

func kindOf(v any) kinds {
	switch v := v.(type) {
	case nil:
		return kindNull
	case string:
		return kindString
	case bool:
		return kindBoolean
	case float64:
		if v == float64(int64(v)) {
			return kindInteger
		}
		return kindNumber
	case []any:
		return kindArray
	}
	return kindObject
}

// schemaOf is the schema of a tool's arguments; of a tool nobody declared it
// says nothing.
func (t *turn) schemaOf(tool string) *schema {
	for i := range t.tools {
		if t.tools[i].Name == tool {
			return t.schema(t.tools[i])
		}
	}
	return &schema{}
}

// schema reads a tool's schema once a turn.
func (t *turn) schema(tool rollout.ToolSchema) *schema {
	s, ok := t.schemas[tool.Name]
	if !ok {
		s = parseSchema(tool.Parameters)
		if t.schemas == nil {
			t.schemas = make(map[string]*schema)
		}
		t.schemas[tool.Name] = s
	}
	return s
}
