package dataset

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/rollout"
)

func taskFile(t testing.TB, content string) string {
	path := filepath.Join(t.TempDir(), "sums.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

func TestReadTasks(t *testing.T) {
	path := taskFile(t, "\xEF\xBB\xBF"+`{"id": "one", "prompt": "1+1?", "answer": 2, "level": 1.50, "tags": ["a", "b"]}`+"\r\n"+
		"\r\n   \n"+
		`{"id": 7, "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}], "truth": {"x": [1]}, "seed": 9223372036854775807}`+"\n"+
		`{"prompt": [{"role": "user", "content": "u"}]}`)
	tasks, err := ReadTasks(path)
	require.NoError(t, err)
	require.Len(t, tasks, 3)
	require.Equal(t, rollout.Task{
		ID: "one", Family: "sums", Index: 0, Origin: path + ":1", Seed: rollout.DeriveSeed("task", "one"),
		Messages: []rollout.Message{rollout.User("1+1?")}, Truth: json.RawMessage("2"),
		Meta: json.RawMessage(`{"level":1.50,"tags":["a", "b"]}`),
	}, tasks[0])
	require.Equal(t, rollout.Task{
		ID: "7", Family: "sums", Index: 1, Origin: path + ":4", Seed: 1<<63 - 1,
		Messages: []rollout.Message{rollout.System("s"), rollout.User("u")}, Truth: json.RawMessage(`{"x": [1]}`),
	}, tasks[1])
	require.Len(t, tasks[2].ID, 16, "named by its line")
	require.Equal(t, 2, tasks[2].Index)

	again, err := ReadTasks(path)
	require.NoError(t, err)
	require.Equal(t, tasks, again)
}

func TestTaskMessagesWithCalls(t *testing.T) {
	tasks, err := ReadTasks(taskFile(t, strings.ReplaceAll(`{"messages": [{"role": "user", "content": "u"},
{"role": "assistant", "content": null, "reasoning_content": "hm", "tool_calls": [
{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"a\": 1.0}"}},
{"name": "g", "arguments": {"b": 2}}, {"name": "h"}]},
{"role": "tool", "content": "3", "tool_call_id": "c1", "name": "f"}]}`, "\n", " ")))
	require.NoError(t, err)
	m := tasks[0].Messages
	require.Equal(t, "hm", m[1].Reasoning)
	require.Equal(t, []rollout.ToolCall{
		{ID: "c1", Name: "f", Arguments: json.RawMessage(`{"a": 1.0}`)},
		{Name: "g", Arguments: json.RawMessage(`{"b": 2}`)},
		{Name: "h", Arguments: json.RawMessage(`{}`)},
	}, m[1].ToolCalls)
	require.Equal(t, "c1", m[2].ToolCallID)
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	tasks, err := ReadTasks(taskFile(t, `{"prompt": "`+long+`"}`+"\n"+`{"prompt": "y"}`))
	require.NoError(t, err)
	require.Equal(t, long, tasks[0].Messages[0].Content)
	require.Len(t, tasks, 2)
}

// TestBadRows: each is named by file and line, with what to do.
func TestBadRows(t *testing.T) {
	for name, c := range map[string]struct{ line, reason, fix string }{
		"cut":               {`{"prompt": "a"`, "the JSON ends too early", "the whole object on one line"},
		"not JSON":          {`prompt: a`, "not JSON", "one JSON object per line"},
		"a text":            {`"a"`, `"a", want an object`, "one JSON object per line"},
		"a list":            {`[{"prompt": "a"}]`, "a list, want an object", "jq"},
		"two objects":       {`{"prompt": "a"} {"prompt": "b"}`, "something follows", "one JSON object per line"},
		"trailing comma":    {`{"prompt": "a"},`, "something follows", "one JSON object per line"},
		"key twice":         {`{"prompt": "a", "prompt": "b"}`, `key "prompt" is there twice`, "remove"},
		"no prompt":         {`{"question": "a"}`, `neither "messages" nor "prompt"`, "add"},
		"both":              {`{"prompt": "a", "messages": []}`, `both "messages" and "prompt"`, "keep one"},
		"empty prompt":      {`{"prompt": ""}`, "prompt is empty", "write"},
		"prompt of null":    {`{"prompt": null}`, "prompt is null", "write a list"},
		"no messages":       {`{"messages": []}`, "messages is []", "at least one"},
		"role":              {`{"messages": [{"role": "robot", "content": "a"}]}`, `messages[0]: role is "robot"`, "role"},
		"no content":        {`{"messages": [{"role": "user"}]}`, "messages[0]: no content", "content"},
		"content of parts":  {`{"messages": [{"role": "user", "content": [{"text": "a"}]}]}`, "messages[0]: ", "content (a text)"},
		"unknown in a call": {`{"messages": [{"role": "user", "content": "a", "weight": 1}]}`, `unknown field "weight"`, "role, content"},
		"bad arguments":     {`{"messages": [{"role": "assistant", "tool_calls": [{"name": "f", "arguments": "{"}]}]}`, "tool_calls[0]", "tool_calls"},
		"answers":           {`{"prompt": "a", "answer": 1, "truth": 2}`, `both "answer" and "truth"`, "keep one"},
		"id of null":        {`{"id": null, "prompt": "a"}`, "id is null", "leave it out"},
		"empty id":          {`{"id": "", "prompt": "a"}`, `id is ""`, "leave it out"},
		"id of 1.5":         {`{"id": 1.5, "prompt": "a"}`, "id is 1.5", "text or an integer"},
		"seed of text":      {`{"seed": "1", "prompt": "a"}`, `seed is "1"`, "integer"},
		"seed too large":    {`{"seed": 9223372036854775808, "prompt": "a"}`, "seed is 9223372036854775808", "63 bits"},
		"seed of null":      {`{"seed": null, "prompt": "a"}`, "seed is null", "leave it out"},
		"not UTF-8":         {"{\"prompt\": \"\xff\"}", "not UTF-8", "UTF-8"},
		"id again":          {`{"id": "first", "prompt": "a"}`, `id "first" is on line 1 already`, "an id of its own"},
		"same line":         {`{"prompt": "same"}`, "is on line 2 already", "remove one"},
	} {
		t.Run(name, func(t *testing.T) {
			path := taskFile(t, `{"id": "first", "prompt": "a"}`+"\n"+`{"prompt": "same"}`+"\n\n"+c.line+"\n")
			tasks, err := ReadTasks(path)
			require.Nil(t, tasks)
			e, ok := errors.AsType[*TaskError](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, path, e.File)
			require.Equal(t, 4, e.Line)
			require.Contains(t, e.Reason, c.reason)
			require.Contains(t, e.Fix, c.fix)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestBadFiles(t *testing.T) {
	_, err := ReadTasks(filepath.Join(t.TempDir(), "none.jsonl"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = ReadTasks(taskFile(t, "\xFF\xFE{\x00}\x00"))
	require.ErrorContains(t, err, "UTF-16")
	tasks, err := ReadTasks(taskFile(t, "\n\r\n"))
	require.NoError(t, err)
	require.Empty(t, tasks)
}

func TestTasksStops(t *testing.T) {
	n := 0
	for range Tasks(taskFile(t, "{\"prompt\":\"a\"}\n{\"prompt\":\"b\"}\nbroken")) {
		if n++; n == 2 {
			break
		}
	}
	require.Equal(t, 2, n)
}

// FuzzTasks: whatever the bytes are, each task that comes out is whole, and an
// error is the last thing and names a line.
func FuzzTasks(f *testing.F) {
	for _, seed := range []string{
		`{"prompt":"a","id":1}`, "\xEF\xBB\xBF{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\r\n{", "[1]", "{\"prompt\":\"a\"}\n{\"prompt\":\"a\"}",
		`{"prompt":"a","seed":-1,"x":{"y":[1e400]}}`, "\x00", "{}", `{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		seen := map[rollout.TaskID]bool{}
		failed := false
		for task, err := range readTasks(strings.NewReader(string(data)), "f.jsonl") {
			require.False(t, failed, "something follows an error")
			if err != nil {
				e, ok := errors.AsType[*TaskError](err)
				require.True(t, ok)
				require.Positive(t, e.Line)
				failed = true
				continue
			}
			require.NotEmpty(t, task.ID)
			require.NotEmpty(t, task.Messages)
			require.False(t, seen[task.ID])
			seen[task.ID] = true
			for _, raw := range []json.RawMessage{task.Truth, task.Meta} {
				require.True(t, raw == nil || json.Valid(raw), "%s", raw)
			}
		}
	})
}
