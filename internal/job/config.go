package job

import (
	"errors"
	"fmt"
	"time"

	"focus/internal/config"
	"focus/rollout"
)

// Config is a job file.
type Config struct {
	// Name is for people; it is written to the run.
	Name string `yaml:"name"`
	// Seed of the run: tasks of bundled families and every request derive
	// theirs from it. Default 0.
	Seed  int64 `yaml:"seed"`
	Tasks Tasks `yaml:"tasks"`
	// Env is the world. Required.
	Env config.Section `yaml:"env"`
	// Policy is the model. Required.
	Policy config.Section `yaml:"policy"`
	// Context is the context manager. Default append_only.
	Context config.Section `yaml:"context"`
	// Parser reads replies. Default: what manager and world need.
	Parser config.Section `yaml:"parser"`
	// Search is the strategy. Default group.
	Search config.Section `yaml:"search"`
	// Credit is the advantage estimator. Default: the strategy's.
	Credit config.Section `yaml:"credit"`
	// Value is a model that says what a checkpoint is worth. Default none.
	Value    config.Section `yaml:"value"`
	Agent    Agent          `yaml:"agent"`
	Sampling Sampling       `yaml:"sampling"`
	Run      Run            `yaml:"run"`
	Output   Output         `yaml:"output"`
}

// Tasks says what is played.
type Tasks struct {
	// Path of a JSONL file; empty lets a bundled family make its own.
	Path string `yaml:"path"`
	// Count of tasks; 0 is every row of the file. Required for a family.
	Count int `yaml:"count"`
	// Offset of the first task. Default 0.
	Offset int `yaml:"offset"`
}

// Agent holds the settings of agent.Config; a zero is that package's default.
type Agent struct {
	MaxSteps         int           `yaml:"max_steps"`
	MaxTokens        int           `yaml:"max_tokens"`
	MaxRolloutTokens int           `yaml:"max_rollout_tokens"`
	FinalAnswer      *bool         `yaml:"final_answer"`
	FinalInstruction string        `yaml:"final_instruction"`
	MaxParseFailures int           `yaml:"max_parse_failures"`
	GenerateTimeout  time.Duration `yaml:"generate_timeout"`
}

// Sampling is the law of every reply. The default is temperature 1 without
// truncation.
type Sampling struct {
	Temperature *float64 `yaml:"temperature"`
	TopP        *float64 `yaml:"top_p"`
	TopK        int      `yaml:"top_k"`
	MinP        float64  `yaml:"min_p"`
}

// Run bounds the work.
type Run struct {
	// Concurrency is the most rollouts in flight. Default 256.
	Concurrency int `yaml:"concurrency"`
	// Retries is how often a rollout is tried again after an infrastructure
	// failure. 0 means 2; negative never.
	Retries int `yaml:"retries"`
	// GiveUpAfter stops the job after so many failed rollouts in a row, none
	// finished between them. 0 means twice the concurrency, negative never.
	GiveUpAfter int `yaml:"give_up_after"`
}

// Output says where the files go and how they are cut.
type Output struct {
	// Dir is the run's folder; it must not hold a run. Default runs/NAME. The
	// command line's --out takes precedence.
	Dir string `yaml:"dir"`
	// BatchRows and BatchMiB close a record batch, ShardMiB a shard. A zero is
	// package dataset's default: 1,024 rows, 16 MiB, 256 MiB.
	BatchRows int `yaml:"batch_rows"`
	BatchMiB  int `yaml:"batch_mib"`
	ShardMiB  int `yaml:"shard_mib"`
}

// Defaults of a zero Config.
const (
	DefaultConcurrency = 256
	DefaultRetries     = 2
)

// Bounds beyond which a number is a slip of the hand.
const (
	maxConcurrency = 200_000
	maxTasks       = 50_000_000
)

func (c *Config) fill() {
	for _, d := range []struct {
		section    *config.Section
		path, kind string
	}{{&c.Context, "context", "append_only"}, {&c.Search, "search", "group"}} {
		*d.section = d.section.Or(d.path, d.kind)
	}
	if c.Run.Concurrency == 0 {
		c.Run.Concurrency = DefaultConcurrency
	}
	if c.Run.Retries == 0 {
		c.Run.Retries = DefaultRetries
	}
	if c.Run.GiveUpAfter == 0 {
		c.Run.GiveUpAfter = 2 * c.Run.Concurrency
	}
	if c.Name == "" {
		c.Name = "run"
	}
	if c.Output.Dir == "" {
		c.Output.Dir = "runs/" + c.Name
	}
}

// Validate reports every value that cannot be, by its key.
func (c Config) Validate() error {
	var errs []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(!c.Env.Given(), "env: missing: say which world, for example `env: {kind: calculator}`")
	bad(!c.Policy.Given(), "policy: missing: say which model, for example `policy: {kind: tinylm}`")
	for _, n := range []struct {
		key   string
		value int
	}{
		{"tasks.count", c.Tasks.Count}, {"tasks.offset", c.Tasks.Offset},
		{"agent.max_steps", c.Agent.MaxSteps}, {"agent.max_tokens", c.Agent.MaxTokens},
		{"agent.max_rollout_tokens", c.Agent.MaxRolloutTokens},
		{"run.concurrency", c.Run.Concurrency},
		{"output.batch_rows", c.Output.BatchRows}, {"output.batch_mib", c.Output.BatchMiB}, {"output.shard_mib", c.Output.ShardMiB},
		{"sampling.top_k", c.Sampling.TopK},
	} {
		bad(n.value < 0, "%s: %d is less than 0", n.key, n.value)
	}
	bad(c.Run.Concurrency > maxConcurrency, "run.concurrency: %d is more than %d", c.Run.Concurrency, maxConcurrency)
	bad(c.Tasks.Count > maxTasks, "tasks.count: %d is more than %d; split the job", c.Tasks.Count, maxTasks)
	bad(c.Agent.GenerateTimeout < 0, "agent.generate_timeout: %s is less than 0", c.Agent.GenerateTimeout)
	law := c.Sampling.law()
	bad(!(law.Temperature >= 0 && law.Temperature <= 2), "sampling.temperature: %v is outside 0 to 2", law.Temperature)
	bad(law.Temperature > 0 && law.Temperature < 0.01, "sampling.temperature: %v would silently be raised to 0.01 by vLLM; use 0 for greedy, or 0.01 and more", law.Temperature)
	bad(!(law.TopP > 0 && law.TopP <= 1), "sampling.top_p: %v is outside 0 (not included) to 1", law.TopP)
	bad(!(law.MinP >= 0 && law.MinP <= 1), "sampling.min_p: %v is outside 0 to 1", law.MinP)
	return errors.Join(errs...)
}

func (s Sampling) law() rollout.SamplingParams {
	out := rollout.DefaultSampling()
	if s.Temperature != nil {
		out.Temperature = *s.Temperature
	}
	if s.TopP != nil {
		out.TopP = *s.TopP
	}
	out.TopK, out.MinP = s.TopK, s.MinP
	return out
}
