package fake

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"focus/policy/tokenizer"
)

// Main is the server as a program: it prints the URL as its first line, serves
// until ctx ends, and returns an exit code. GET /stats answers with its [Stats].
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, addr, err := parseArgs(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	srv, err := StartOn(c, addr)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	fmt.Fprintln(stdout, srv.URL)
	<-ctx.Done()
	if err := srv.Close(); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// parseArgs reads the flags, which are the fields of Config.
func parseArgs(args []string, stderr io.Writer) (c Config, addr string, err error) {
	fs := flag.NewFlagSet("fakeserver", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&addr, "addr", "127.0.0.1:0", "TCP address to listen on")
	fs.StringVar(&c.Model, "model", "fake", "model name")
	fs.IntVar(&c.Window, "window", 32768, "ids of prompt and reply together")
	overflow := fs.String("overflow", string(Clamp), "when prompt and cap exceed the window: clamp or refuse")
	fs.IntVar(&c.Vocab, "vocab", 32000, "number of ids")
	eos := fs.Int("eos", 2, "id that ends a reply")
	fs.Uint64Var(&c.Seed, "seed", 0, "another seed is another server")
	folder := fs.String("tokenizer", "", "model folder whose tokenizer answers /tokenize; it sets vocab, and eos to its <|im_end|>")
	reply := fs.String("reply", "chain:32", "chain:MEAN or steady:N ids")
	fs.DurationVar(&c.Latency.Fixed, "fixed", 0, "latency of every reply")
	fs.DurationVar(&c.Latency.PerToken, "per-token", 0, "latency per sampled id")
	fs.DurationVar(&c.Latency.PerPromptToken, "per-prompt-token", 0, "latency per prompt id")
	fs.DurationVar(&c.Latency.Jitter, "jitter", 0, "up to this much latency more")
	fs.Int64Var(&c.MaxActive, "max-active", 0, "completions in flight; 0 is no bound")
	fs.Func("fault", "rule such as http_503,every=10 (may be given again)", func(text string) error {
		r, err := ParseRule(text)
		c.Rules = append(c.Rules, r)
		return err
	})
	if err := fs.Parse(args); err != nil {
		return c, addr, fmt.Errorf("fake server: %w", err)
	}
	if fs.NArg() > 0 {
		return c, addr, fmt.Errorf("fake server: unexpected argument %q", fs.Arg(0))
	}
	c.Overflow = Overflow(*overflow)
	if *folder != "" {
		tok, err := tokenizer.Load(*folder)
		if err != nil {
			return c, addr, fmt.Errorf("fake server: tokenizer: %w", err)
		}
		c.Encode, c.Vocab = func(text string) []int32 { return tok.Encode(nil, text) }, tok.VocabSize()
		if id, ok := tok.ID("<|im_end|>"); ok {
			*eos = int(id)
		}
	}
	if *eos < 1 || *eos >= c.Vocab {
		return c, addr, fmt.Errorf("fake server: eos is %d; it must be in [1, %d)", *eos, c.Vocab)
	}
	c.EOS = int32(*eos)
	kind, count, _ := strings.Cut(*reply, ":")
	n, err := strconv.Atoi(count)
	switch {
	case err != nil || n < 1:
		return c, addr, fmt.Errorf("fake server: reply %q: want chain:MEAN or steady:N", *reply)
	case kind == "chain":
		c.Script = Chain(n)
	case kind == "steady":
		c.Script = Steady(n)
	default:
		return c, addr, fmt.Errorf("fake server: reply %q: want chain:MEAN or steady:N", *reply)
	}
	return c, addr, c.Validate()
}
