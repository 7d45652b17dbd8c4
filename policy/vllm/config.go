package vllm

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"focus/policy/render"
	"focus/rollout"
)

// Config is where a server is and how it is talked to. Start from [Defaults]:
// the zero of a number means zero.
type Config struct {
	// URL is the server, such as http://127.0.0.1:8000; a /v1 at its end is
	// ignored. Required.
	URL string `yaml:"url"`
	// Model is the name it is served under. Default: the only model served.
	Model string `yaml:"model"`
	// Tokenizer is the model's folder with tokenizer.json. Required.
	Tokenizer string `yaml:"tokenizer"`
	// Render says how text becomes ids: template, tokens, history.
	Render render.Options `yaml:",inline"`
	// APIKeyEnv names the environment variable that holds the server's key.
	// Default: no key is sent.
	APIKeyEnv string `yaml:"api_key_env"`
	// LogprobMode is the server's --logprobs-mode, raw or processed. Default
	// raw, vLLM's own. Replies do not tell it; the probe compares where it can.
	LogprobMode rollout.LogprobMode `yaml:"logprob_mode"`
	// Version names the weights. Default: the server's own name for them where
	// it has one, else the model's.
	Version string `yaml:"version"`
	// CacheSalt sends the version as cache salt, so that keys and values of old
	// weights are never used for new ones. Default true; it has no effect until
	// a version is known. Turn it off to share the cache with other clients.
	CacheSalt bool `yaml:"cache_salt"`
	// Priority of each request; lower runs earlier on a server with
	// --scheduling-policy priority. Default 0, which is not sent.
	Priority int `yaml:"priority"`
	// Window in ids, prompt and reply together. Default 0: the server's own. A
	// smaller one bounds what a long conversation may cost.
	Window int `yaml:"window"`
	// EchoFirst is how many calls, the first ones, ask the server for the
	// prompt it saw. Default 32.
	EchoFirst int `yaml:"echo_first"`
	// EchoEvery asks again on each so-many-th call after these. Default 64; 0
	// never asks again. The echo is a large share of a client's cost.
	EchoEvery int `yaml:"echo_every"`
	// Connections is how many requests may be open at once; the others wait,
	// and their time limits have not begun. Default 512, at least 1. Keep it
	// below the server's listen backlog (2,048).
	Connections int `yaml:"connections"`
	// GenerateTimeout of one attempt, such as 10m. Default 10 minutes; 0 is no
	// limit.
	GenerateTimeout time.Duration `yaml:"generate_timeout"`
	// Retries is how often a request without a reply is tried again. Default 4;
	// 0 never.
	Retries int `yaml:"retries"`
	// Backoff before the first retry, doubled for each further one and drawn
	// between half and all of it. Default 250ms; 0 does not wait.
	Backoff time.Duration `yaml:"backoff"`
	// BackoffMax bounds it, and what a server may ask for by Retry-After.
	// Default 15s.
	BackoffMax time.Duration `yaml:"backoff_max"`
}

// Defaults is a Config that needs URL and Tokenizer only.
func Defaults() Config {
	return Config{
		LogprobMode: rollout.LogprobsRaw, CacheSalt: true, EchoFirst: 32, EchoEvery: 64, Connections: 512,
		GenerateTimeout: 10 * time.Minute, Retries: 4, Backoff: 250 * time.Millisecond, BackoffMax: 15 * time.Second,
	}
}

// Validate reports every problem at once, by key.
func (c Config) Validate() error {
	var errs []error
	wrong := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	if c.URL == "" {
		wrong(true, "url: missing; give the server's address, such as http://127.0.0.1:8000")
	} else if _, err := c.base(); err != nil {
		wrong(true, "url: %v", err)
	}
	wrong(c.Tokenizer == "", "tokenizer: missing; give the folder of the served model that holds tokenizer.json")
	wrong(c.LogprobMode != rollout.LogprobsRaw && c.LogprobMode != rollout.LogprobsProcessed,
		"logprob_mode: %q is not known, must be raw or processed (the server's --logprobs-mode)", c.LogprobMode)
	wrong(c.Connections < 1, "connections: %d, must be at least 1", c.Connections)
	for _, k := range []struct {
		key string
		n   int64
	}{
		{"window", int64(c.Window)}, {"echo_first", int64(c.EchoFirst)}, {"echo_every", int64(c.EchoEvery)},
		{"retries", int64(c.Retries)}, {"generate_timeout", int64(c.GenerateTimeout)},
		{"backoff", int64(c.Backoff)}, {"backoff_max", int64(c.BackoffMax)},
	} {
		wrong(k.n < 0, "%s: must not be negative", k.key)
	}
	wrong(c.BackoffMax < c.Backoff, "backoff_max: %s is below backoff, %s", c.BackoffMax, c.Backoff)
	return errors.Join(errors.Join(errs...), c.Render.Validate())
}

// base is the address without /v1.
func (c Config) base() (*url.URL, error) {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil:
		return nil, err
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, fmt.Errorf("%q is not an address, write http://HOST:PORT", c.URL)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%q has a query, write http://HOST:PORT", c.URL)
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/v1")
	u.Path = strings.TrimSuffix(u.Path, "/")
	return u, nil
}
