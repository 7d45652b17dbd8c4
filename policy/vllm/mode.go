package vllm

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"focus/rollout"
)

// probeMode measures whether logprobs are raw or processed: at temperature 0.5
// the distance between the logprobs of two ids doubles when they are processed,
// and stays when they are raw. A flat model shows nothing, and neither does a
// server that gives no alternatives.
func (p *Policy) probeMode(ctx context.Context, s *Sheet) error {
	prompt, err := p.probePrompt()
	if err != nil {
		return err
	}
	at := func(temperature float64) map[string]float64 {
		sp := rollout.DefaultSampling()
		sp.Temperature, sp.Seed = temperature, 1
		top, err := p.alternatives(ctx, &order{prompt: prompt, law: sp, max: 1, top: 5, echo: true})
		if err != nil {
			return nil // such as a server whose --max-logprobs is lower
		}
		return top
	}
	s.Mode = tellMode(at(1), at(0.5))
	if s.Mode != "" && s.Mode != p.cfg.LogprobMode {
		return fmt.Errorf("logprob_mode is %s and the server's logprobs are %s; set logprob_mode: %s or start it with --logprobs-mode %s_logprobs",
			p.cfg.LogprobMode, s.Mode, s.Mode, p.cfg.LogprobMode)
	}
	return nil
}

// tellMode compares the logprobs of the same ids at temperature 1 and 0.5.
func tellMode(warm, cool map[string]float64) rollout.LogprobMode {
	var shared []string
	for id := range warm {
		if _, ok := cool[id]; ok {
			shared = append(shared, id)
		}
	}
	if len(shared) < 2 {
		return ""
	}
	by := func(a, b string) int {
		if warm[a] < warm[b] {
			return -1
		}
		return 1
	}
	low, high := slices.MinFunc(shared, by), slices.MaxFunc(shared, by)
	gap := warm[high] - warm[low]
	const least = 0.1 // well above what rounding in bfloat16 makes
	if !(gap > least) || math.IsInf(gap, 0) {
		return ""
	}
	switch ratio := (cool[high] - cool[low]) / gap; {
	case math.Abs(ratio-1) < 0.2:
		return rollout.LogprobsRaw
	case math.Abs(ratio-2) < 0.2:
		return rollout.LogprobsProcessed
	}
	return ""
}

// alternatives are the logprobs of the likeliest first ids.
func (p *Policy) alternatives(ctx context.Context, o *order) (map[string]float64, error) {
	o.id = fmt.Sprintf("%s-probe%d", p.nonce, p.calls.Add(1))
	out, _, err := p.exchange(ctx, o, p.version.Load().salt)
	if err != nil {
		return nil, err
	}
	defer out.release()
	var body struct {
		Choices []struct {
			Logprobs struct {
				Top []map[string]float64 `json:"top_logprobs"`
			} `json:"logprobs"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(out.b, &body); err != nil {
		return nil, err
	}
	if len(body.Choices) != 1 || len(body.Choices[0].Logprobs.Top) != 1 {
		return nil, nil
	}
	top := body.Choices[0].Logprobs.Top[0]
	for id, lp := range top {
		if lp <= unknownLogprob {
			delete(top, id)
		}
	}
	return top, nil
}
