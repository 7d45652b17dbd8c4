package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"focus/rollout"
)

// rowError is what is wrong with a row, before it has a file and a line.
type rowError struct{ reason, fix string }

func (e *rowError) Error() string { return e.reason + ": " + e.fix }

// parseTask reads one row. Family and index are the caller's.
func parseTask(line []byte) (rollout.Task, error) {
	keys, row, err := splitObject(line)
	if err != nil {
		return rollout.Task{}, err
	}
	var t rollout.Task
	if t.Messages, err = taskMessages(row); err != nil {
		return rollout.Task{}, err
	}
	if t.ID, err = taskID(row["id"], line); err != nil {
		return rollout.Task{}, err
	}
	if t.Truth, err = oneOf(row, "answer", "truth"); err != nil {
		return rollout.Task{}, err
	}
	t.Seed = rollout.DeriveSeed("task", string(t.ID))
	if raw, ok := row["seed"]; ok {
		if err := json.Unmarshal(raw, &t.Seed); err != nil || string(raw) == "null" {
			return rollout.Task{}, &rowError{fmt.Sprintf("seed is %s", clip(raw)), "write an integer of at most 63 bits, or leave it out"}
		}
	}
	t.Meta = restOf(keys, row)
	return t, nil
}

// splitObject reads the keys of a JSON object in order, each value as it is
// written.
func splitObject(line []byte) ([]string, map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	broken := func(err error) error {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return &rowError{"the JSON ends too early", "write the whole object on one line"}
		}
		return &rowError{fmt.Sprintf("not JSON: %v", err), "write one JSON object per line"}
	}
	open, err := dec.Token()
	if err != nil {
		return nil, nil, broken(err)
	}
	if open != json.Delim('{') {
		return nil, nil, &rowError{fmt.Sprintf("%s, want an object", clip(line)), "write one JSON object per line"}
	}
	var keys []string
	row := map[string]json.RawMessage{}
	for dec.More() {
		k, err := dec.Token()
		if err != nil {
			return nil, nil, broken(err)
		}
		key, ok := k.(string)
		if !ok {
			return nil, nil, &rowError{"not JSON: a key is not a text", "write one JSON object per line"}
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, nil, broken(err)
		}
		if _, dup := row[key]; dup {
			return nil, nil, &rowError{fmt.Sprintf("key %q is there twice", key), "remove one of the two"}
		}
		keys = append(keys, key)
		row[key] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, nil, broken(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, &rowError{"something follows the object", "write one JSON object per line"}
	}
	return keys, row, nil
}

func taskID(raw json.RawMessage, line []byte) (rollout.TaskID, error) {
	if raw == nil {
		return rollout.TaskID(rollout.DeriveID("task", string(line))), nil
	}
	fault := &rowError{fmt.Sprintf("id is %s", clip(raw)), "write a text or an integer, or leave it out"}
	var text string
	if json.Unmarshal(raw, &text) == nil && string(raw) != "null" {
		if text == "" {
			return "", fault
		}
		return rollout.TaskID(text), nil
	}
	var n int64
	if json.Unmarshal(raw, &n) == nil && string(raw) != "null" {
		return rollout.TaskID(raw), nil
	}
	return "", fault
}

// oneOf is the value of the one key of a pair that is there, nil for neither.
func oneOf(row map[string]json.RawMessage, a, b string) (json.RawMessage, error) {
	va, oka := row[a]
	vb, okb := row[b]
	if oka && okb {
		return nil, &rowError{fmt.Sprintf("both %q and %q", a, b), "keep one of the two"}
	}
	if oka {
		return va, nil
	}
	return vb, nil
}

// restOf is the keys that are not the task's own, as an object in their order.
func restOf(keys []string, row map[string]json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	for _, k := range keys {
		switch k {
		case "id", "prompt", "messages", "answer", "truth", "seed":
			continue
		}
		name, err := marshal(k)
		if err != nil {
			// A text always has a JSON form.
			panic(err)
		}
		if b.Len() == 0 {
			b.WriteByte('{')
		} else {
			b.WriteByte(',')
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(row[k])
	}
	if b.Len() == 0 {
		return nil
	}
	b.WriteByte('}')
	return b.Bytes()
}

// clip is the beginning of a value, for an error.
func clip(raw []byte) string {
	const most = 40
	s := strings.Join(strings.Fields(string(raw)), " ")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
