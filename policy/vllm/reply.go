package vllm

import (
	"bytes"
	"fmt"

	"focus/rollout"
)

// reply is what a completions body says, before anything of it is believed.
type reply struct {
	choices int
	// ids and prompt are token_ids and prompt_token_ids of the choice; names
	// are the ids that logprobs names. Each counts only when its flag is set.
	ids, prompt, names          []rollout.TokenID
	hasIDs, hasPrompt, hasNames bool
	logprobs                    []float32 // NaN where the server has null
	hasLogprobs                 bool
	finish                      string
	stop                        stopReason
	stopID                      rollout.TokenID
	// Counts of usage; -1 when not there.
	promptTokens, completionTokens, cached int
}

// stopReason is the form of the field of that name.
type stopReason int

const (
	stopNull stopReason = iota
	stopByID
	stopByText
)

// reset keeps the buffers.
func (r *reply) reset() {
	*r = reply{
		ids: r.ids[:0], prompt: r.prompt[:0], names: r.names[:0], logprobs: r.logprobs[:0],
		promptTokens: -1, completionTokens: -1, cached: -1,
	}
}

// parse reads a completions body.
func (r *reply) parse(body []byte) error {
	r.reset()
	s := &scan{b: body}
	s.fields(func(key []byte) {
		switch string(key) {
		case "choices":
			r.choices = 0
			s.items(func() {
				r.choices++
				r.choice(s)
			})
		case "usage":
			r.usage(s)
		default:
			s.skip()
		}
	})
	if s.err == nil && s.peek() != 0 {
		s.fail("the end")
	}
	if s.err != nil {
		return fmt.Errorf("the body is not a completion: %w", s.err)
	}
	return nil
}

func (r *reply) choice(s *scan) {
	s.fields(func(key []byte) {
		if s.word("null") {
			return
		}
		switch string(key) {
		case "token_ids":
			r.ids, r.hasIDs = s.ids(r.ids[:0]), true
		case "prompt_token_ids":
			r.prompt, r.hasPrompt = s.ids(r.prompt[:0]), true
		case "logprobs":
			r.logprobList(s)
		case "finish_reason":
			r.finish = string(s.str())
		case "stop_reason":
			r.stopField(s)
		default:
			s.skip()
		}
	})
}

func (r *reply) stopField(s *scan) {
	if s.peek() == '"' {
		s.str()
		r.stop = stopByText
		return
	}
	r.stop, r.stopID = stopByID, s.id()
}

func (r *reply) logprobList(s *scan) {
	s.fields(func(key []byte) {
		if s.word("null") {
			return
		}
		switch string(key) {
		case "tokens":
			r.names, r.hasNames = r.names[:0], true
			s.items(func() { r.name(s.str()) })
		case "token_logprobs":
			r.logprobs, r.hasLogprobs = r.logprobs[:0], true
			s.items(func() { r.logprobs = append(r.logprobs, s.float()) })
		default:
			s.skip()
		}
	})
}

// namePrefix marks a token string that stands for an id.
const namePrefix = "token_id:"

// name reads the id of a token string. One string that is plain text makes all
// of them useless.
func (r *reply) name(token []byte) {
	digits, ok := bytes.CutPrefix(token, []byte(namePrefix))
	s := scan{b: digits}
	id := s.id()
	if !ok || s.err != nil || s.i != len(digits) {
		r.hasNames = false
		return
	}
	r.names = append(r.names, id)
}

func (r *reply) usage(s *scan) {
	if s.word("null") {
		return
	}
	s.fields(func(key []byte) {
		if s.word("null") {
			return
		}
		switch string(key) {
		case "prompt_tokens":
			r.promptTokens = int(s.int())
		case "completion_tokens":
			r.completionTokens = int(s.int())
		case "prompt_tokens_details":
			s.fields(func(key []byte) {
				switch {
				case s.word("null"):
				case string(key) == "cached_tokens":
					r.cached = int(s.int())
				default:
					s.skip()
				}
			})
		default:
			s.skip()
		}
	})
}
