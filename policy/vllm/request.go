package vllm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"focus/rollout"
)

// order is one request as it is about to be sent.
type order struct {
	prompt rollout.Tokens
	law    rollout.SamplingParams
	// max is the cap, clamped to the room.
	max int
	// echo asks for token_ids and with them for the prompt as the server saw
	// it. Without it the ids come as names in logprobs.
	echo bool
	// score asks for the logprobs of the prompt instead of a reply.
	score bool
	// top is how many alternatives are reported per id besides the sampled one.
	top     int
	version rollout.PolicyVersion
	// id and session go into the headers.
	id, session string
}

// wire holds what all requests have in common, encoded once.
type wire struct {
	head  []byte // up to the prompt
	fixed []byte // fields that never change, from a comma on
}

func newWire(model string, priority int) wire {
	w := wire{head: append(appendJSON([]byte(`{"model":`), model), `,"prompt":[`...)}
	w.fixed = append(w.fixed, `,"repetition_penalty":1,"presence_penalty":0,"frequency_penalty":0`+
		`,"return_tokens_as_token_ids":true,"skip_special_tokens":false,"spaces_between_special_tokens":false`+
		`,"add_special_tokens":false,"stream":false`...)
	if priority != 0 {
		w.fixed = strconv.AppendInt(append(w.fixed, `,"priority":`...), int64(priority), 10)
	}
	return w
}

// append adds the body of o to b. salt is empty when none is sent.
func (w wire) append(b []byte, o *order, salt string) []byte {
	b = append(b, w.head...)
	b = slices.Grow(b, widest*o.prompt.Len()+512)
	at := len(b)
	for part := range o.prompt.Chunks() {
		b = appendIDs(b, part)
	}
	if len(b) > at {
		b = b[:len(b)-1] // the last comma
	}
	b = strconv.AppendInt(append(b, `],"max_tokens":`...), int64(o.max), 10)
	b = appendFloat(append(b, `,"temperature":`...), o.law.Temperature)
	b = appendFloat(append(b, `,"top_p":`...), o.law.TopP)
	b = strconv.AppendInt(append(b, `,"top_k":`...), int64(o.law.TopK), 10)
	b = appendFloat(append(b, `,"min_p":`...), o.law.MinP)
	b = strconv.AppendInt(append(b, `,"seed":`...), o.law.Seed, 10)
	b = append(b, `,"stop_token_ids":[`...)
	if len(o.law.StopIDs) > 0 {
		b = appendIDs(b, o.law.StopIDs)
		b = b[:len(b)-1]
	}
	b = strconv.AppendInt(append(b, `],"logprobs":`...), int64(o.top), 10)
	b = strconv.AppendBool(append(b, `,"return_token_ids":`...), o.echo)
	b = append(b, w.fixed...)
	if o.score {
		b = append(b, `,"echo":true`...)
	}
	if salt != "" {
		b = appendJSON(append(b, `,"cache_salt":`...), salt)
	}
	b = appendJSON(append(b, `,"request_id":`...), o.id)
	return append(b, '}')
}

func appendFloat(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'g', -1, 64) }

func appendJSON(b []byte, s string) []byte {
	q, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return append(b, q...)
}

// maxSalt is vLLM's bound on a cache salt.
const maxSalt = 128

// saltOf is a version in the letters that a cache salt may have. Versions that
// had to be changed keep apart by a hash.
func saltOf(v rollout.PolicyVersion) string {
	clean := strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' || strings.ContainsRune(`@/\`, r) {
			return '_'
		}
		return r
	}, string(v))
	if clean == string(v) && len(clean) <= maxSalt {
		return clean
	}
	return fmt.Sprintf("%.100s-%s", clean, rollout.DeriveID("salt", string(v)))
}
