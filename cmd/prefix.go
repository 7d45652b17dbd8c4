package cmd

import (
	"errors"
	"fmt"
	"time"

	contexts "focus/context"
	"focus/policy"
)

// prefixConfig is the configuration of prefix_summary; see
// contexts.PrefixSummaryConfig.
type prefixConfig struct {
	ReserveTokens    int           `yaml:"reserve_tokens"`
	KeepRecentTokens int           `yaml:"keep_recent_tokens"`
	Window           int           `yaml:"window"`
	MaxReplyTokens   int           `yaml:"max_reply_tokens"`
	Instructions     string        `yaml:"instructions"`
	Sampling         *foldSampling `yaml:"sampling"`
	Retry            prefixRetry   `yaml:"retry"`
}

// prefixRetry says how a summary is tried again.
type prefixRetry struct {
	// MaxRetries: 0 means 3, negative never.
	MaxRetries int           `yaml:"max_retries"`
	BaseDelay  time.Duration `yaml:"base_delay"`
	MaxDelay   time.Duration `yaml:"max_delay"`
}

func (c prefixConfig) Validate() error {
	errs := []error{c.config().Validate()}
	if law := c.Sampling.law(); law != nil {
		law.MaxTokens = 1
		if err := policy.CheckSampling(*law); err != nil {
			errs = append(errs, fmt.Errorf("sampling: %w", err))
		}
	}
	return errors.Join(errs...)
}

func (c prefixConfig) config() contexts.PrefixSummaryConfig {
	return contexts.PrefixSummaryConfig{
		ReserveTokens: c.ReserveTokens, KeepRecentTokens: c.KeepRecentTokens, Window: c.Window, MaxReplyTokens: c.MaxReplyTokens,
		Instructions: c.Instructions, Sampling: c.Sampling.law(),
		Retry: contexts.RetryConfig{MaxRetries: c.Retry.MaxRetries, BaseDelay: c.Retry.BaseDelay, MaxDelay: c.Retry.MaxDelay},
	}
}
