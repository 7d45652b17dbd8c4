package config

import (
	"reflect"
	"slices"
)

// Schema is a JSON schema (draft 2020-12) as nested maps.
type Schema map[string]any

// SchemaOf describes a struct. sections gives the schema of a section by its
// key, at any depth.
func SchemaOf(v any, sections map[string]Schema) Schema {
	return structSchema(reflect.TypeOf(v), sections)
}

func structSchema(t reflect.Type, sections map[string]Schema) Schema {
	props := Schema{}
	for _, f := range fieldsOf(t) {
		if s, ok := sections[f.name]; ok && f.typ == sectionType {
			props[f.name] = s
			continue
		}
		props[f.name] = typeSchema(f.typ, sections)
	}
	return Schema{"type": "object", "properties": props, "additionalProperties": false}
}

func typeSchema(t reflect.Type, sections map[string]Schema) Schema {
	switch {
	case t == durationType:
		return Schema{"type": "string", "description": "a duration such as 30s or 5m"}
	case t == sectionType:
		return Schema{"type": "object", "required": []string{"kind"}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeSchema(t.Elem(), sections)
	case reflect.Struct:
		return structSchema(t, sections)
	case reflect.Slice:
		return Schema{"type": "array", "items": typeSchema(t.Elem(), sections)}
	case reflect.Map:
		return Schema{"type": "object", "additionalProperties": typeSchema(t.Elem(), sections)}
	case reflect.String:
		return Schema{"type": "string"}
	case reflect.Bool:
		return Schema{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return Schema{"type": "number"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Schema{"type": "integer", "minimum": 0}
	}
	return Schema{"type": "integer"}
}

// Schema describes every kind of a section: its name alone, or a mapping with
// `kind` and the keys of that kind.
func (r *Registry[D, T]) Schema() Schema {
	var any []Schema
	for _, name := range r.Kinds() {
		k := r.kinds[name]
		s := structSchema(reflect.TypeOf(k.defaults), nil)
		s["properties"].(Schema)["kind"] = Schema{"const": name}
		s["required"] = []string{"kind"}
		s["description"] = k.doc
		any = append(any, s)
	}
	any = append(any, Schema{"enum": slices.Clone(r.Kinds()), "description": "a kind with its defaults"})
	return Schema{"anyOf": any}
}
