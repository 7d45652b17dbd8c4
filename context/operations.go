package contexts

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"focus/rollout"
)

const countedFromOne = "Messages are counted from 1, the first one after the task; each of your replies and each tool result is one. "

// Drop is the operation drop_messages: a range of messages goes away.
func Drop() Operation {
	return Operation{
		Schema: rollout.ToolSchema{
			Name: "drop_messages", Description: "Remove messages you no longer need from your context. " + countedFromOne,
			Parameters: json.RawMessage(`{"type":"object","properties":{"from":{"type":"integer","minimum":1},"to":{"type":"integer","minimum":1}},"required":["from","to"],"additionalProperties":false}`),
		},
		Run: func(_ context.Context, c OperationCall) (Operated, error) {
			var args struct {
				From int `json:"from"`
				To   int `json:"to"`
			}
			if err := readArguments(c, &args); err != nil {
				return Operated{}, err
			}
			return replaceRange(c.Rollout, args.From, args.To, "dropped")
		},
	}
}

// Summarise is the operation summarise_messages: the model's own words stand in
// for a range of messages.
func Summarise() Operation {
	return Operation{
		Schema: rollout.ToolSchema{
			Name: "summarise_messages", Description: "Put your own summary in the place of messages in your context. " + countedFromOne,
			Parameters: json.RawMessage(`{"type":"object","properties":{"from":{"type":"integer","minimum":1},"to":{"type":"integer","minimum":1},"summary":{"type":"string"}},"required":["from","to","summary"],"additionalProperties":false}`),
		},
		Run: func(_ context.Context, c OperationCall) (Operated, error) {
			var args struct {
				From    int    `json:"from"`
				To      int    `json:"to"`
				Summary string `json:"summary"`
			}
			if err := readArguments(c, &args); err != nil {
				return Operated{}, err
			}
			if strings.TrimSpace(args.Summary) == "" {
				return Operated{}, &Error{"Nothing changed: the summary is empty. Use drop_messages to remove messages without one."}
			}
			note := rollout.User(fmt.Sprintf("Your summary of %d messages that stood here:\n\n%s", args.To-args.From+1, args.Summary))
			return replaceRange(c.Rollout, args.From, args.To, "summarised", note)
		},
	}
}

func readArguments(c OperationCall, into any) error {
	dec := json.NewDecoder(bytes.NewReader(c.Arguments))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return &Error{fmt.Sprintf("Nothing changed: the arguments of %s do not fit its schema.", c.Name)}
	}
	return nil
}

// replaceRange puts messages in the place of those counted from to to, the seed
// and the calling reply not among them. A call and its results stay together.
func replaceRange(rs rollout.State, from, to int, effect string, by ...rollout.Message) (Operated, error) {
	all := rs.Messages.AppendTo(nil)
	seed := min(len(rs.Seed), len(all))
	// after ends before the reply that makes this call.
	after := all[seed : len(all)-1]
	switch {
	case len(after) == 0:
		return Operated{}, &Error{"Nothing changed: there are no messages after the task yet."}
	case from < 1 || to < from || to > len(after):
		return Operated{}, &Error{fmt.Sprintf("Nothing changed: from %d to %d is no range of the messages 1 to %d.", from, to, len(after))}
	}
	if after[from-1].Role == rollout.RoleTool {
		start := from
		for start > 1 && after[start-1].Role == rollout.RoleTool {
			start--
		}
		return Operated{}, &Error{fmt.Sprintf("Nothing changed: message %d is the result of a call. Begin with the call, at %d.", from, start)}
	}
	if to < len(after) && after[to].Role == rollout.RoleTool {
		end := to
		for end < len(after) && after[end].Role == rollout.RoleTool {
			end++
		}
		return Operated{}, &Error{fmt.Sprintf("Nothing changed: message %d has results after it. End with them, at %d.", to, end)}
	}
	kept := slices.Concat(all[:seed+from-1], by, all[seed+to:])
	n := to - from + 1
	return Operated{
		Rollout: rs.Rewritten(kept), Effect: effect,
		Result: fmt.Sprintf("%s %d messages; %d are left before this call", effect, n, len(after)-n+len(by)),
	}, nil
}
