package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document is a parsed job file.
type Document struct {
	name string
	root *yaml.Node
}

// Parse reads one YAML document. name is for errors.
func Parse(name string, text []byte) (*Document, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var node, second yaml.Node
	switch err := dec.Decode(&node); {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: the file is empty", name)
	case err != nil:
		return nil, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: the file holds more than one document; keep one job per file", name)
	}
	root := node.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s: a job file is a mapping of keys to values", name)
	}
	return &Document{name: name, root: root}, nil
}

// Set overrides one value: "agent.max_steps=4". The value is read as YAML.
func (d *Document) Set(assignment string) error {
	path, value, ok := strings.Cut(assignment, "=")
	if !ok || path == "" {
		return fmt.Errorf("--set %s: want key.path=value", assignment)
	}
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(value), &node); err != nil {
		return fmt.Errorf("--set %s: the value is not YAML: %s", assignment, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	leaf := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	if len(node.Content) > 0 {
		leaf = node.Content[0]
	}
	forget(leaf)
	at := d.root
	keys := strings.Split(path, ".")
	for i, key := range keys {
		if at.Kind != yaml.MappingNode {
			return fmt.Errorf("--set %s: %s is not a mapping", assignment, strings.Join(keys[:i], "."))
		}
		next := child(at, key)
		if i == len(keys)-1 {
			if next == nil {
				at.Content = append(at.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, leaf)
			} else {
				*next = *leaf
			}
			return nil
		}
		if next == nil {
			next = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
			at.Content = append(at.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, next)
		}
		at = next
	}
	return nil
}

// forget drops line numbers that are not the file's.
func forget(n *yaml.Node) {
	n.Line = 0
	for _, c := range n.Content {
		forget(c)
	}
}

func child(m *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1]
		}
	}
	return nil
}

// Decode fills a struct. Keys that are absent leave the field as it is.
func (d *Document) Decode(into any) error {
	if err := decodeInto("", d.root, into); err != nil {
		return d.named(err)
	}
	return nil
}

// named puts the file's name before every problem.
func (d *Document) named(err error) error {
	var out []error
	for _, e := range flatten(err) {
		out = append(out, fmt.Errorf("%s: %w", d.name, e))
	}
	return errors.Join(out...)
}

// Name is the file's name.
func (d *Document) Name() string { return d.name }

// Named puts the file's name before every problem of err; nil stays nil.
func (d *Document) Named(err error) error {
	if err == nil {
		return nil
	}
	return d.named(err)
}

// JSON is the document as JSON with sorted keys, without the keys given.
func (d *Document) JSON(without ...string) ([]byte, error) {
	m := map[string]any{}
	if err := d.root.Decode(&m); err != nil {
		return nil, fmt.Errorf("%s: %s", d.name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	for _, k := range without {
		delete(m, k)
	}
	b, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("%s: a key is not text: %w", d.name, err)
	}
	return b, nil
}
