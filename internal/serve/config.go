package serve

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"focus/rollout"
)

// Config describes the model and bounds the work.
type Config struct {
	// Model is the name clients use; required.
	Model string
	// Window is how many ids prompt and reply may have together; required.
	Window int
	// Vocab is the number of ids, padding included; required.
	Vocab int
	// EOS are the ids that end a reply by themselves; the first is the primary
	// one. None means that only stop_token_ids and the cap end a reply.
	EOS []rollout.TokenID
	// Tokenizer may be nil; see [Tokenizer].
	Tokenizer Tokenizer
	// MaxSeqs is how many sequences run at once; 0 means 8.
	MaxSeqs int
	// MaxQueue is how many sequences wait beyond those; 0 means 1024.
	MaxQueue int
	// MaxAlternatives is the largest `logprobs` the backend can serve; 0 means
	// that it gives the sampled id's logprob only.
	MaxAlternatives int
	// MinTokens says that the backend honours Request.MinTokens.
	MinTokens bool
	// MaxBody is the largest request in bytes; 0 means 32 MiB.
	MaxBody int64
	// Version is what /version answers; empty means "focus".
	Version string
	// Log gets one line per failed request; nil means none.
	Log *slog.Logger
	// Now stamps replies and times requests; nil means time.Now.
	Now func() time.Time
}

// Validate reports every problem at once.
func (c Config) Validate() error {
	var errs []error
	require := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("serve config: "+format, args...))
		}
	}
	require(c.Model != "", "model name is empty")
	require(c.Window > 1, "window is %d; it must be at least 2", c.Window)
	require(c.Vocab > 0, "vocab is %d; it must be at least 1", c.Vocab)
	for _, id := range c.EOS {
		require(id >= 0 && int(id) < c.Vocab, "eos id %d is not in [0, %d)", id, c.Vocab)
	}
	require(c.MaxSeqs >= 0, "max seqs is %d; it must not be negative", c.MaxSeqs)
	require(c.MaxQueue >= 0, "max queue is %d; it must not be negative", c.MaxQueue)
	require(c.MaxAlternatives >= 0, "max alternatives is %d; it must not be negative", c.MaxAlternatives)
	require(c.MaxBody >= 0, "max body is %d; it must not be negative", c.MaxBody)
	return errors.Join(errs...)
}

// withDefaults fills in what zero means.
func (c Config) withDefaults() Config {
	if c.MaxSeqs == 0 {
		c.MaxSeqs = 8
	}
	if c.MaxQueue == 0 {
		c.MaxQueue = 1024
	}
	if c.MaxBody == 0 {
		c.MaxBody = 32 << 20
	}
	if c.Version == "" {
		c.Version = "focus"
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}
