package cmd

import (
	"errors"
	"fmt"

	contexts "focus/context"
	"focus/env"
	"focus/internal/config"
	"focus/policy"
	"focus/rollout"
)

// summarizeConfig is the configuration of summarize; see contexts.SummarizeConfig.
type summarizeConfig struct {
	// Trigger says when. Default prompt_tokens of max_prompt_tokens.
	Trigger              config.Section `yaml:"trigger"`
	MaxInteractions      int            `yaml:"max_interactions"`
	MaxPromptTokens      int            `yaml:"max_prompt_tokens"`
	MaxReplyTokens       int            `yaml:"max_reply_tokens"`
	SummaryTargetTokens  int            `yaml:"summary_target_tokens"`
	RequireCompleteReply bool           `yaml:"require_complete_reply"`
	StructuredSummary    bool           `yaml:"structured_summary"`
	// Sampling is the law of the fold's replies. Default the job's.
	Sampling    *foldSampling `yaml:"sampling"`
	Instruction string        `yaml:"instruction"`
	// FoldWorkspace is empty for the rollout's own, or memory for a fresh one
	// in memory at each fold.
	FoldWorkspace      string `yaml:"fold_workspace"`
	TranscriptTemplate string `yaml:"transcript_template"`
	MemoryRole         string `yaml:"memory_role"`
	// RenderCounters names counters of the task state to show beside the notes.
	RenderCounters        []string `yaml:"render_counters"`
	ResumeInstruction     string   `yaml:"resume_instruction"`
	IncludeFoldedGuidance *bool    `yaml:"include_folded_guidance"`
	PenaltyCap            *float64 `yaml:"penalty_cap"`
}

// foldSampling is the law of a fold's replies; what is absent truncates nothing,
// at temperature 1.
type foldSampling struct {
	Temperature *float64 `yaml:"temperature"`
	TopP        *float64 `yaml:"top_p"`
	TopK        int      `yaml:"top_k"`
	MinP        float64  `yaml:"min_p"`
}

func (s *foldSampling) law() *rollout.SamplingParams {
	if s == nil {
		return nil
	}
	out := rollout.DefaultSampling()
	if s.Temperature != nil {
		out.Temperature = *s.Temperature
	}
	if s.TopP != nil {
		out.TopP = *s.TopP
	}
	out.TopK, out.MinP = s.TopK, s.MinP
	return &out
}

func (c summarizeConfig) Validate() error {
	errs := []error{c.config(nil).Validate()}
	if law := c.Sampling.law(); law != nil {
		law.MaxTokens = 1
		if err := policy.CheckSampling(*law); err != nil {
			errs = append(errs, fmt.Errorf("sampling: %w", err))
		}
	}
	if c.FoldWorkspace != "" && c.FoldWorkspace != "memory" {
		errs = append(errs, fmt.Errorf("fold_workspace: %q, must be memory or absent", c.FoldWorkspace))
	}
	return errors.Join(errs...)
}

func (c summarizeConfig) config(t contexts.Trigger) contexts.SummarizeConfig {
	out := contexts.SummarizeConfig{
		Trigger: t, MaxInteractions: c.MaxInteractions, MaxPromptTokens: c.MaxPromptTokens, MaxReplyTokens: c.MaxReplyTokens,
		SummaryTargetTokens: c.SummaryTargetTokens, RequireCompleteReply: c.RequireCompleteReply, StructuredSummary: c.StructuredSummary,
		Sampling: c.Sampling.law(), Instruction: c.Instruction, TranscriptTemplate: c.TranscriptTemplate,
		MemoryRole: rollout.Role(c.MemoryRole), ResumeInstruction: c.ResumeInstruction,
		IncludeFoldedGuidance: c.IncludeFoldedGuidance, PenaltyCap: c.PenaltyCap,
	}
	if len(c.RenderCounters) > 0 {
		out.StateRenderer = contexts.RenderCounters(c.RenderCounters...)
	}
	return out
}

func (c summarizeConfig) manager(t contexts.Trigger) (contexts.Manager, error) {
	cfg := c.config(t)
	if c.FoldWorkspace == "memory" {
		spaces, err := env.MemoryWorkspaces(env.MemoryConfig{})
		if err != nil {
			return nil, err
		}
		cfg.FoldWorkspace = spaces
	}
	return contexts.NewSummarize(cfg)
}
