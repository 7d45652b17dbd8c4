package fake

import (
	"maps"
	"slices"
)

// Fault is a way to fail.
type Fault string

// Faults of the connection.
const (
	ResetBefore Fault = "reset_before"
	ResetAfter  Fault = "reset_after"
	ResetDuring Fault = "reset_during"
	Stall       Fault = "stall"
	StallDuring Fault = "stall_during"
)

// Replies that are no completion.
const (
	CutJSON Fault = "cut_json"
	Garbage Fault = "garbage"
	HTTP400 Fault = "http_400"
	HTTP401 Fault = "http_401"
	HTTP404 Fault = "http_404"
	HTTP429 Fault = "http_429"
	HTTP500 Fault = "http_500"
	HTTP503 Fault = "http_503"
	Streams Fault = "streams"
)

// Replies that lie.
const (
	NoTokenIDs       Fault = "no_token_ids"
	NoLogprobs       Fault = "no_logprobs"
	NullLogprob      Fault = "null_logprob"
	NaNLogprob       Fault = "nan_logprob"
	UnknownLogprob   Fault = "unknown_logprob"
	PositiveLogprob  Fault = "positive_logprob"
	ShortLogprobs    Fault = "short_logprobs"
	LongLogprobs     Fault = "long_logprobs"
	WrongUsage       Fault = "wrong_usage"
	EchoAltered      Fault = "echo_altered"
	PromptTruncated  Fault = "prompt_truncated"
	IgnoresMaxTokens Fault = "ignores_max_tokens"
	StrangeID        Fault = "strange_id"
	FinishLength     Fault = "finish_length"
	FinishStop       Fault = "finish_stop"
	NoFinish         Fault = "no_finish"
	AbortPartial     Fault = "abort_partial"
	AbortEmpty       Fault = "abort_empty"
	WrongModel       Fault = "wrong_model"
)

// Slow is no fault but a delay: the reply is right, Rule.Delay late.
const Slow Fault = "slow"

var sentences = map[Fault]string{
	ResetBefore:      "The connection is reset before the request is read.",
	ResetAfter:       "The connection is reset after the request was read, with nothing sent.",
	ResetDuring:      "The connection is reset in the middle of the reply.",
	Stall:            "Nothing comes until the client leaves.",
	StallDuring:      "Half of the reply comes, then nothing until the client leaves.",
	CutJSON:          "A complete HTTP reply whose JSON ends early.",
	Garbage:          "200 with a page of HTML.",
	HTTP400:          "400 BadRequestError.",
	HTTP401:          "401 with a bare string, as vLLM's API key check answers.",
	HTTP404:          "404 NotFoundError: no such model.",
	HTTP429:          "429, with Retry-After when the rule has one.",
	HTTP500:          "500 InternalServerError, after which the connection closes unannounced.",
	HTTP503:          "503 Service Unavailable, with Retry-After when the rule has one.",
	Streams:          "A stream of events that nobody asked for.",
	NoTokenIDs:       "token_ids and prompt_token_ids are null.",
	NoLogprobs:       "logprobs are null.",
	NullLogprob:      "The logprob of the last id is null.",
	NaNLogprob:       "The logprob of the last id is NaN, which is not JSON.",
	UnknownLogprob:   "The logprob of the last id is -9999, vLLM's word for unknown.",
	PositiveLogprob:  "The logprob of the last id is above 0.",
	ShortLogprobs:    "One logprob too few.",
	LongLogprobs:     "One logprob too many.",
	WrongUsage:       "usage counts one id more than there are.",
	EchoAltered:      "The last id of prompt_token_ids is another one.",
	PromptTruncated:  "The first id of the prompt is dropped, in the echo and in usage too.",
	IgnoresMaxTokens: "One id more than the cap.",
	StrangeID:        "The last id is outside the vocabulary.",
	FinishLength:     "finish_reason is length, below the cap.",
	FinishStop:       "finish_reason is stop, and the last id is no stop id.",
	NoFinish:         "finish_reason is null.",
	AbortPartial:     "finish_reason is abort, with the first half of the ids.",
	AbortEmpty:       "finish_reason is abort, without ids.",
	WrongModel:       "The reply names another model.",
	Slow:             "The reply is right and late.",
}

// Faults lists every fault, sorted.
func Faults() []Fault { return slices.Sorted(maps.Keys(sentences)) }

// Sentence says what the fault does; empty for an unknown one.
func (f Fault) Sentence() string { return sentences[f] }
