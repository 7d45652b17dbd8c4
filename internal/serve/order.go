package serve

import (
	"math"
	"slices"
	"strings"

	"focus/rollout"
)

// order is a completions request that passed every check.
type order struct {
	id       string
	prompts  [][]rollout.TokenID
	n        int
	sampling rollout.SamplingParams
	// seeded is false when each sequence gets a seed of its own.
	seeded    bool
	minTokens int
	ignoreEOS bool
	// logprobs is the number of alternatives wanted; -1 when no logprobs are.
	logprobs       int
	promptLogprobs bool
	echo           bool
	// scoreOnly is echo with max_tokens 0: one id is sampled all the same, and
	// reported without a logprob.
	scoreOnly    bool
	returnIDs    bool
	idStrings    bool
	skipSpecial  bool
	keepStopText bool
	stream       streamOptions
}

// streamOptions says how a stream is wanted.
type streamOptions struct {
	on         bool
	usage      bool
	continuous bool
}

// refused are fields that would change what is sampled or returned and are not
// offered here, with the values that ask for nothing.
var refused = []struct {
	name    string
	neutral []string
}{
	{"stop", []string{`[]`}},
	{"presence_penalty", []string{`0`, `0.0`}},
	{"frequency_penalty", []string{`0`, `0.0`}},
	{"repetition_penalty", []string{`1`, `1.0`}},
	{"length_penalty", []string{`1`, `1.0`}},
	{"use_beam_search", []string{`false`}},
	{"best_of", []string{`1`}},
	{"suffix", []string{`""`}},
	{"logit_bias", []string{`{}`}},
	{"allowed_token_ids", nil},
	{"bad_words", []string{`[]`}},
	{"response_format", []string{`{"type":"text"}`, `{"type": "text"}`}},
	{"structured_outputs", nil},
	{"guided_json", nil},
	{"guided_regex", nil},
	{"guided_choice", nil},
	{"guided_grammar", nil},
	{"logprob_token_ids", []string{`[]`}},
	{"truncate_prompt_tokens", nil},
	{"prompt_embeds", nil},
	{"repetition_detection", nil},
	{"thinking_token_budget", nil},
	{"logits_processors", nil},
	{"kv_transfer_params", nil},
	{"ec_transfer_params", nil},
	{"vllm_xargs", []string{`{}`}},
	{"routed_experts_prompt_start", nil},
}

// read turns the body into an order.
func (s *Server) read(f *fields) (*order, *apiError) {
	if model := f.text("model"); model != "" && model != s.config.Model {
		return nil, notFound("model", "The model `%s` does not exist.", model)
	}
	for _, r := range refused {
		if f.has(r.name) && !slices.Contains(r.neutral, strings.TrimSpace(string(f.raw[r.name]))) {
			return nil, badRequest(r.name, "%s is not supported by this server", r.name)
		}
	}
	o := &order{
		n:           int(f.int("n", 1)),
		minTokens:   int(f.int("min_tokens", 0)),
		ignoreEOS:   f.flag("ignore_eos"),
		echo:        f.flag("echo"),
		returnIDs:   f.flag("return_token_ids"),
		idStrings:   f.flag("return_tokens_as_token_ids") || s.config.Tokenizer == nil,
		skipSpecial: f.flagOr("skip_special_tokens", true),
	}
	o.keepStopText = f.flag("include_stop_str_in_output")
	o.sampling = rollout.SamplingParams{
		Temperature: f.float("temperature", 1),
		TopP:        f.float("top_p", 1),
		TopK:        int(f.int("top_k", 0)),
		MinP:        f.float("min_p", 0),
		MaxTokens:   int(f.int("max_tokens", 16)),
		Seed:        f.int("seed", -1),
		StopIDs:     f.ids("stop_token_ids"),
	}
	o.seeded = o.sampling.Seed != -1
	o.readLogprobs(f)
	o.readStream(f)
	if salt := f.text("cache_salt"); f.has("cache_salt") && (salt == "" || len(salt) > 128 || strings.ContainsAny(salt, "@/\\\x00")) {
		return nil, badRequest("cache_salt", "cache_salt should be 1 to 128 characters without @ / \\ and NUL")
	}
	if f.err != nil {
		return nil, f.err
	}
	var bad *apiError
	if o.prompts, bad = s.prompts(f); bad != nil {
		return nil, bad
	}
	if bad := s.checkSampling(o); bad != nil {
		return nil, bad
	}
	return o, s.checkRoom(o)
}

func (o *order) readLogprobs(f *fields) {
	o.logprobs = -1
	if f.has("logprobs") {
		if f.raw["logprobs"][0] == '"' {
			f.fail("logprobs", "an integer")
		}
		o.logprobs = int(f.int("logprobs", 0))
		if o.logprobs < 0 {
			// -1 is the whole vocabulary: above any bound.
			o.logprobs = math.MaxInt32
		}
	}
	if f.has("prompt_logprobs") {
		o.promptLogprobs = true
		if f.int("prompt_logprobs", 0) != 0 && f.err == nil {
			f.err = badRequest("prompt_logprobs", "this server gives the logprobs of the prompt's own ids only: send 0")
		}
	}
}

func (o *order) readStream(f *fields) {
	o.stream.on = f.flag("stream")
	if !f.has("stream_options") {
		return
	}
	sub, bad := parseFields(f.raw["stream_options"])
	switch {
	case bad != nil:
		f.fail("stream_options", "an object")
	case !o.stream.on && f.err == nil:
		f.err = badRequest("stream_options", "stream_options needs stream")
	default:
		o.stream.usage = sub.flag("include_usage")
		o.stream.continuous = sub.flag("continuous_usage_stats")
	}
}

// total is the number of sequences.
func (o *order) total() int { return len(o.prompts) * o.n }
