package cmd

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"focus/internal/job"
	"focus/internal/serve"
	"focus/policy"
	"focus/policy/tinylm"
	"focus/policy/tokenizer"
	"focus/rollout"
)

// drainTime is how long requests in flight may take after an interrupt.
const drainTime = 30 * time.Second

func serveCommand() *cobra.Command {
	var addr, model, name, mode string
	var seqs, queue int
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the embedded model as a vLLM-shaped endpoint",
		Long: `Serve answers /v1/completions with ids in and out, /v1/models, /health, /version,
/tokenize, /detokenize and /metrics, as a vLLM server does. It listens on the
loopback interface unless --addr names another host, and asks nobody for a password.`,
		Example: "  focus serve --addr 127.0.0.1:8000",
		Args:    exactly(0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(c.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			p, err := tinylm.NewPolicy(tinylm.PolicyConfig{Model: model, Logprobs: rollout.LogprobMode(mode)})
			if err != nil {
				return refused(err)
			}
			tok, err := newTinyTokenizer(model)
			if err != nil {
				return refused(errors.Join(err, p.Close()))
			}
			h, err := serve.New(serveConfig(p, tok, name, seqs, queue), tinyBackend{p})
			if err != nil {
				return refused(errors.Join(err, p.Close()))
			}
			ln, err := serve.Listen(addr)
			if err != nil {
				return refused(errors.Join(err, p.Close()))
			}
			c.PrintErrf("serving %s on http://%s (interrupt to stop)\n", name, ln.Addr())
			if err := errors.Join(serve.Serve(ctx, ln, h, drainTime), p.Close()); err != nil {
				return &exit{ExitBroke, err}
			}
			return nil
		},
	}
	c.Flags().StringVar(&addr, "addr", "127.0.0.1:8000", "`host:port` to listen on; port 0 takes a free one")
	c.Flags().StringVar(&model, "model", "", "a checkpoint `folder` of the Llama or Qwen3 family, instead of the embedded one")
	c.Flags().StringVar(&name, "name", "tinylm", "the model `name` that clients use")
	c.Flags().StringVar(&mode, "logprobs-mode", "raw", "logprobs of the model's own law (raw) or of the law that is sampled from (processed), as vLLM's flag of that name")
	c.Flags().IntVar(&seqs, "max-seqs", 0, "sequences that run at once (default 64)")
	c.Flags().IntVar(&queue, "max-queue", 0, "requests that wait beyond those (default 1024)")
	return c
}

func serveConfig(p *tinylm.Policy, tok tinyTokenizer, name string, seqs, queue int) serve.Config {
	if seqs == 0 {
		seqs = 64
	}
	return serve.Config{
		Model: name, Window: p.Window(), Vocab: p.Engine().Model().Vocab, EOS: p.Engine().Model().EOS,
		Tokenizer: tok, MaxSeqs: seqs, MaxQueue: queue, Version: "focus-" + job.Version(), Log: slog.Default(),
	}
}

// tinyBackend lets the endpoint sample from tinylm, and score.
type tinyBackend struct{ *tinylm.Policy }

// Generate samples one sequence. Ids that the request stops at are its own:
// the endpoint added the model's.
func (b tinyBackend) Generate(ctx context.Context, r serve.Request) (serve.Reply, error) {
	c, err := b.Policy.Generate(ctx, policy.Prompt{Tokens: rollout.NewTokens(r.Prompt...)}, r.Sampling)
	if err != nil {
		return serve.Reply{}, err
	}
	out := serve.Reply{Tokens: make([]serve.Token, len(c.Tokens)), Finish: c.Finish, Cached: c.CachedTokens}
	for i, id := range c.Tokens {
		out.Tokens[i] = serve.Token{ID: id, Logprob: c.Logprobs[i]}
	}
	return out, nil
}

// tinyTokenizer lets the endpoint take and show text.
type tinyTokenizer struct {
	*tokenizer.Tokenizer
	special map[rollout.TokenID]bool
}

func newTinyTokenizer(folder string) (tinyTokenizer, error) {
	dir := tinylm.Bundled()
	if folder != "" {
		dir = os.DirFS(folder)
	}
	t, err := tokenizer.LoadFS(dir)
	if err != nil {
		return tinyTokenizer{}, err
	}
	out := tinyTokenizer{t, map[rollout.TokenID]bool{}}
	for _, a := range t.Added() {
		out.special[a.ID] = a.Special
	}
	return out, nil
}

func (t tinyTokenizer) Encode(text string) ([]rollout.TokenID, error) {
	return t.Tokenizer.Encode(nil, text), nil
}

func (t tinyTokenizer) Special(id rollout.TokenID) bool { return t.special[id] }

// Piece is the id's own text.
func (t tinyTokenizer) Piece(id rollout.TokenID) string { return string(t.Bytes(id)) }
