package contexts_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every entry of the two seed documents, by its name there.
var seeds = map[string][]string{
	"focus-context-module": {
		"ContextManager", ".trigger", ".max_tokens", ".final_answer", ".action", ".manages_context", ".branch_points()", ".check_policy()",
		".should_compact()", ".compact()", ".prepare()", ".record_reply()", ".schemas()", ".initialize()", ".apply()",
		"AppendOnly(continuation=)", "AppendOnly.prepare()", "Segments(tokens)", "Summarize(...)", "Summarize.compact()", "penalty_cap",
		"AnyOf(*triggers)", "AnyOf.of(sequence)", "AnyOf.fires", ".check", ".relieve", "Compaction", "CompactionResult", "ContextError",
		"ContextTools", ".operation()", "IncompleteCompactionError(turns=, reasons=)", "PromptTokens(max_prompt_tokens=8192)", ".fires",
		"StateCounter(remaining=, maximum=)", "Trigger.fires", "Applied", "DEFAULT_INSTRUCTION", "KeepRecent",
	},
	"pi-compaction": {
		"TOOL_RESULT_MAX_CHARS", "SUMMARY_PREFIX", "SUMMARY_SUFFIX", "SUMMARIZATION_SYSTEM_PROMPT", "SUMMARIZATION_PROMPT", "CompactionInput",
		"CompactionReason", "CompactionResult", "SummaryRequest", "SelectCheckpoint", "SummarizeCheckpoint", "RetryCheckpoint",
		"CompactionCheckpoint", "CompactionTask", "abort", "create_compaction", "select_cut", "summarized_messages", "order_tool_results",
		"estimate_context", "estimate_message_tokens", "summary_text", "summary_failure", "summary_prompt", "serialize_conversation",
		"retry_delay_ms", "is_retryable_assistant_error", "beforeCompact", "place", "complete", "fail_no_model", "record_usage",
	},
}

// docs/context.md maps every entry of the seeds to names that exist, held by
// tests that exist.
func TestTheMapOfTheSeedsIsTrue(t *testing.T) {
	b, err := os.ReadFile("../docs/context.md")
	require.NoError(t, err)
	names, tests := declared(t)
	quoted := regexp.MustCompile("`([^`]+)`")
	goName := regexp.MustCompile(`\b[A-Z]\w+`)
	for seed, entries := range seeds {
		_, section, ok := strings.Cut(string(b), "## Seed document "+seed+"\n")
		require.True(t, ok, seed)
		section, _, _ = strings.Cut(section, "\n## ")
		section = strings.ReplaceAll(section, `\|`, "or")
		var there []string
		for line := range strings.Lines(section) {
			cells := strings.Split(strings.TrimSpace(line), " | ")
			if len(cells) != 3 || !strings.Contains(cells[2], "`") {
				continue
			}
			for _, m := range quoted.FindAllStringSubmatch(cells[0], -1) {
				there = append(there, m[1])
			}
			for _, m := range quoted.FindAllStringSubmatch(cells[1], -1) {
				for _, name := range goName.FindAllString(m[1], -1) {
					require.True(t, names[name], "there is no %s: %s", name, line)
				}
			}
			held := quoted.FindAllStringSubmatch(cells[2], -1)
			require.NotEmpty(t, held, "no test holds: %s", line)
			for _, m := range held {
				require.True(t, tests[m[1]], "there is no test %s: %s", m[1], line)
			}
		}
		require.Subset(t, there, entries, "entries of %s that the map lacks", seed)
	}
}

// declared is the names that the packages of the map declare, those of fields
// and methods included, and the names of their tests.
func declared(t *testing.T) (names, tests map[string]bool) {
	names, tests = map[string]bool{"YAML": true}, map[string]bool{}
	for _, dir := range []string{".", "../agent", "../env", "../rollout", "../cmd"} {
		files, err := filepath.Glob(dir + "/*.go")
		require.NoError(t, err)
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && strings.HasSuffix(file, "_test.go") {
					tests[fn.Name.Name] = true
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					names[n.Name.Name] = true
					return false
				case *ast.TypeSpec:
					names[n.Name.Name] = true
				case *ast.ValueSpec:
					note(names, n.Names)
				case *ast.Field:
					note(names, n.Names)
				}
				return true
			})
		}
	}
	return names, tests
}

func note(names map[string]bool, idents []*ast.Ident) {
	for _, id := range idents {
		names[id.Name] = true
	}
}
