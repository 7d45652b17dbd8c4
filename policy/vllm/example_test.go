package vllm

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"focus/policy/policytest"
	"focus/rollout"
)

func Example() {
	// A stand-in for `vllm serve`; its model says "ok".
	fake := &server{models: defaultModels}
	fake.complete = func(w http.ResponseWriter, a *asked) { writeJSON(w, says(a)) }
	srv := httptest.NewServer(http.HandlerFunc(fake.serve))
	defer srv.Close()

	cfg := Defaults()
	cfg.URL, cfg.Tokenizer = srv.URL, "models/tiny"
	pol, err := New(cfg, policytest.NewChat()) // Open loads the folder instead
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pol.Close()
	ctx := context.Background()
	if err := pol.Probe(ctx); err != nil {
		fmt.Println(err)
		return
	}
	p, err := pol.Prepare([]rollout.Message{rollout.User("2+3?")}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	sp := rollout.DefaultSampling()
	sp.MaxTokens, sp.StopIDs, sp.Seed = 16, pol.StopIDs(), rollout.DeriveSeed("run", "task", "0")
	c, err := pol.Generate(ctx, p, sp)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _ := pol.Decode(c.Tokens)
	fmt.Println(text, c.Finish, len(c.Logprobs), pol.Window())
	// Output: ok<|im_end|> stop 3 200
}
