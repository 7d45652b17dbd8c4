package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"focus/rollout"
)

// maxLine keeps a file that is not lines of text from filling the memory.
const maxLine = 64 << 20

// TaskError is a line of a task file that is not a task.
type TaskError struct {
	File string
	// Line counts from 1, empty lines included.
	Line int
	// Reason is what is wrong, and Fix what to do about it.
	Reason string
	Fix    string
}

func (e *TaskError) Error() string {
	return fmt.Sprintf("%s:%d: %s: %s", e.File, e.Line, e.Reason, e.Fix)
}

// ReadTasks reads all tasks of a JSONL file; see [Tasks].
func ReadTasks(path string) ([]rollout.Task, error) {
	var out []rollout.Task
	for t, err := range Tasks(path) {
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// Tasks walks the tasks of a JSONL file, one JSON object per line. An error is
// the last thing it yields: a [TaskError], or one of the file itself.
//
// A row has `prompt` (a text) or `messages` (a list; `prompt` may be one too),
// and may have `id` (text or integer), `answer` or `truth` (any JSON) and
// `seed` (integer). All else goes to Meta, in its order. A row without an id is
// named by a hash of its line, one without a seed gets one from its id. The
// family is the file's name without its extension.
func Tasks(path string) iter.Seq2[rollout.Task, error] {
	return func(yield func(rollout.Task, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(rollout.Task{}, fmt.Errorf("read tasks: %w", err))
			return
		}
		defer f.Close()
		for t, err := range readTasks(f, path) {
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// readTasks is [Tasks] of an open file.
func readTasks(r io.Reader, path string) iter.Seq2[rollout.Task, error] {
	return func(yield func(rollout.Task, error) bool) {
		family := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		lines := &lineReader{in: bufio.NewReaderSize(r, 1<<16), path: path}
		seen := map[rollout.TaskID]int{}
		for index := 0; ; index++ {
			line, err := lines.next()
			if errors.Is(err, io.EOF) {
				return
			}
			var t rollout.Task
			if err == nil {
				t, err = lines.task(line)
			}
			if first, dup := seen[t.ID]; err == nil && dup {
				err = lines.fault(fmt.Sprintf("id %q is on line %d already", t.ID, first),
					"give each row an id of its own, or remove one of the two lines")
			}
			if err != nil {
				yield(rollout.Task{}, err)
				return
			}
			seen[t.ID] = lines.n
			t.Family, t.Index, t.Origin = family, index, fmt.Sprintf("%s:%d", path, lines.n)
			if !yield(t, nil) {
				return
			}
		}
	}
}

// lineReader yields the lines of a file that are not empty.
type lineReader struct {
	in   *bufio.Reader
	path string
	n    int
	buf  []byte
}

// next is the next line without its end, valid until the next call.
func (l *lineReader) next() ([]byte, error) {
	for {
		line, err := l.read()
		if err != nil {
			return nil, err
		}
		if l.n == 1 {
			line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

func (l *lineReader) read() ([]byte, error) {
	l.buf = l.buf[:0]
	l.n++
	for {
		part, err := l.in.ReadSlice('\n')
		if len(l.buf)+len(part) > maxLine {
			return nil, l.fault(fmt.Sprintf("the line is longer than %d MiB", maxLine>>20), "put each task on a line of its own")
		}
		l.buf = append(l.buf, part...)
		switch {
		case err == nil:
			return l.buf, nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(l.buf) > 0:
			return l.buf, nil
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		}
		return nil, fmt.Errorf("read tasks: %s:%d: %w", l.path, l.n, err)
	}
}

func (l *lineReader) fault(reason, fix string) error {
	return &TaskError{File: l.path, Line: l.n, Reason: reason, Fix: fix}
}

// task parses a line.
func (l *lineReader) task(line []byte) (rollout.Task, error) {
	if bytes.HasPrefix(line, []byte("\xFF\xFE")) || bytes.HasPrefix(line, []byte("\xFE\xFF")) {
		return rollout.Task{}, l.fault("the file is UTF-16", "save it as UTF-8")
	}
	if !utf8.Valid(line) {
		return rollout.Task{}, l.fault("the line is not UTF-8", "save the file as UTF-8")
	}
	if line[0] == '[' {
		return rollout.Task{}, l.fault("a list, want an object", "write one task object per line, not a JSON list (jq -c '.[]' FILE)")
	}
	t, err := parseTask(line)
	if e, ok := errors.AsType[*rowError](err); ok {
		return rollout.Task{}, l.fault(e.reason, e.fix)
	}
	return t, err
}
