package fake

import (
	"errors"
	"fmt"
	"time"

	"focus/rollout"
)

// Overflow is what a server does when prompt and cap exceed the window.
type Overflow string

const (
	// Clamp shortens the cap to the room without a word, as vLLM 0.32 does.
	Clamp Overflow = "clamp"
	// Refuse answers 400, as older releases do.
	Refuse Overflow = "refuse"
)

// Config is a server's behaviour. The zero Config is a quick and honest one.
type Config struct {
	// Model is the name the server goes by; empty means "fake". Requests for
	// another are 404.
	Model string
	// Window is how many ids prompt and reply may have together; 0 means 32768.
	Window int
	// Overflow is [Clamp] unless set.
	Overflow Overflow
	// Vocab is the number of ids; 0 means 32000.
	Vocab int
	// EOS is the id that ends a reply; 0 means 2.
	EOS rollout.TokenID
	// Seed makes another server of the same configuration.
	Seed uint64
	// Encode is the tokenizer behind /tokenize; nil means one id per byte. A
	// client that compares tokenizers needs its own here.
	Encode func(text string) []rollout.TokenID
	// Script writes the replies; nil means [Chain] of 32 ids on average.
	Script Script
	// Latency of a completion; zero answers at once.
	Latency Latency
	// Rules are the faults. The first rule that names a request applies.
	Rules []Rule
	// MaxActive is how many completions may be in flight; one more is a 503.
	// 0 means no bound.
	MaxActive int64
	// Record is how many requests are kept for [Server.Recorded].
	Record int
	// Chunk is the number of ids per chunk of a stream; 0 means 1.
	Chunk int
}

// Latency is waited before a reply, and cut short when the client leaves.
type Latency struct {
	// Fixed is waited by every request.
	Fixed time.Duration
	// PerToken is waited for each sampled id.
	PerToken time.Duration
	// PerPromptToken is waited for each id of the prompt.
	PerPromptToken time.Duration
	// Jitter adds up to this much, by hash of the prompt and the seed.
	Jitter time.Duration
}

// of is what a reply of n ids to r takes.
func (l Latency) of(r *Request, n int) time.Duration {
	d := l.Fixed + time.Duration(n)*l.PerToken + time.Duration(len(r.Prompt))*l.PerPromptToken
	if l.Jitter > 0 {
		d += time.Duration(r.key() % uint64(l.Jitter))
	}
	return d
}

// Validate reports every problem at once.
func (c Config) Validate() error {
	c = c.withDefaults()
	var errs []error
	require := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("fake server: "+format, args...))
		}
	}
	require(c.Window > 1, "window is %d; it must be at least 2", c.Window)
	require(c.Overflow == Clamp || c.Overflow == Refuse, "overflow is %q; it must be %q or %q", c.Overflow, Clamp, Refuse)
	require(c.Vocab > 1, "vocab is %d; it must be at least 2", c.Vocab)
	require(c.EOS >= 0 && int(c.EOS) < c.Vocab, "eos is %d; it must be in [0, %d)", c.EOS, c.Vocab)
	require(c.MaxActive >= 0, "max active is %d; it must not be negative", c.MaxActive)
	l := c.Latency
	require(min(l.Fixed, l.PerToken, l.PerPromptToken, l.Jitter) >= 0, "latency %+v must not be negative", l)
	for i, r := range c.Rules {
		if err := r.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("fake server: rule %d: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

func (c Config) withDefaults() Config {
	if c.Model == "" {
		c.Model = "fake"
	}
	if c.Window == 0 {
		c.Window = 32768
	}
	if c.Overflow == "" {
		c.Overflow = Clamp
	}
	if c.Vocab == 0 {
		c.Vocab = 32000
	}
	if c.EOS == 0 {
		c.EOS = 2
	}
	if c.Script == nil {
		c.Script = Chain(32)
	}
	if c.Encode == nil {
		c.Encode = bytesOf
	}
	if c.Chunk == 0 {
		c.Chunk = 1
	}
	return c
}

// bytesOf has one id per byte.
func bytesOf(text string) []rollout.TokenID {
	ids := make([]rollout.TokenID, len(text))
	for i := range len(text) {
		ids[i] = rollout.TokenID(text[i])
	}
	return ids
}
