package env

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"

	"focus/rollout"
)

// maxName is the longest name in a store, in bytes.
const maxName = 255

// MemoryConfig bounds in-memory workspaces.
type MemoryConfig struct {
	// MaxBytes is the most that one workspace holds, names included. Default
	// (0) 1 MiB; thousands of them are in memory at once.
	MaxBytes int `yaml:"max_bytes"`
}

// Validate reports every problem.
func (c MemoryConfig) Validate() error {
	if c.MaxBytes < 0 {
		return fmt.Errorf("max_bytes: %d is negative", c.MaxBytes)
	}
	return nil
}

// MemoryWorkspaces gives every rollout a [Memory] of its own.
func MemoryWorkspaces(c MemoryConfig) (Workspaces, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return memories{orDefault(c.MaxBytes, 1<<20)}, nil
}

type memories struct{ maxBytes int }

func (m memories) Open(context.Context, rollout.Task) (rollout.Workspace, error) {
	return &Memory{maxBytes: m.maxBytes, items: map[string][]byte{}}, nil
}

func (m memories) Restore(_ context.Context, _ rollout.Task, content []byte) (rollout.Workspace, error) {
	ws := &Memory{maxBytes: m.maxBytes}
	if err := json.Unmarshal(content, &ws.items); err != nil {
		return nil, fmt.Errorf("read memory: %w", err)
	}
	if ws.items == nil {
		ws.items = map[string][]byte{}
	}
	for k, v := range ws.items {
		ws.used += len(k) + len(v)
	}
	return ws, nil
}

// Memory is a key-value workspace.
type Memory struct {
	maxBytes int

	mu sync.Mutex
	// items are replaced, never written into, so forks share contents.
	items  map[string][]byte
	used   int
	closed bool
}

// errClosed is a use after Close: a defect of the caller.
var errClosed = errors.New("the workspace is closed")

// Read copies out what is under a key.
func (m *Memory) Read(name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errClosed
	}
	v, ok := m.items[name]
	if !ok {
		return nil, &Refusal{CauseNotFound, fmt.Sprintf("nothing under %q", cutUTF8(name, 64))}
	}
	return slices.Clone(v), nil
}

// Write puts content under a key.
func (m *Memory) Write(name string, content []byte) error {
	if name == "" || len(name) > maxName || !utf8.ValidString(name) {
		return &Refusal{CauseBadName, fmt.Sprintf("a name has 1 to %d bytes of valid UTF-8", maxName)}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return errClosed
	}
	used := m.used + len(name) + len(content)
	if old, ok := m.items[name]; ok {
		used -= len(name) + len(old)
	}
	if used > m.maxBytes {
		return &Refusal{CauseFull, fmt.Sprintf("full: %d bytes is the limit", m.maxBytes)}
	}
	m.items[name], m.used = append([]byte{}, content...), used
	return nil
}

// Remove deletes a key; one that is not there is no error.
func (m *Memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return errClosed
	}
	if old, ok := m.items[name]; ok {
		m.used -= len(name) + len(old)
		delete(m.items, name)
	}
	return nil
}

// List is the keys in order.
func (m *Memory) List() ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errClosed
	}
	return slices.Sorted(maps.Keys(m.items)), nil
}

// Fork copies the map and shares the contents.
func (m *Memory) Fork() (rollout.Workspace, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errClosed
	}
	return &Memory{maxBytes: m.maxBytes, items: maps.Clone(m.items), used: m.used}, nil
}

// Snapshot is a JSON object of base64 contents.
func (m *Memory) Snapshot() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errClosed
	}
	return json.Marshal(m.items)
}

// Close ends the use of the workspace. Closing again does nothing.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed, m.items = true, nil
	return nil
}
