package dataset

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
)

// FormatVersion is written to every file. A reader takes the versions since
// oldestFormat too and refuses all others:
//
//	1  the first
//	2  samples have anchor_logprobs; a file without reads as null
const FormatVersion = 2

const oldestFormat = 1

// since names the columns that came after the oldest format.
var since = map[string]int{anchorColumn: 2}

const anchorColumn = "anchor_logprobs"

// listOf is a plain list, the type that every reader gives it by default. Its
// elements are never null all the same; neither is a column unless it says so.
func listOf(t arrow.DataType) arrow.DataType { return arrow.ListOf(t) }

var (
	i8, i32, i64  = arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64
	f32, f64      = arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64
	text          = arrow.BinaryTypes.String
	instant       = arrow.FixedWidthTypes.Timestamp_us
	sampleColumns = []arrow.Field{
		// sample_id: hash of rollout_id and row.
		{Name: "sample_id", Type: text},
		// rollout_id: shared by the rows of one rollout.
		{Name: "rollout_id", Type: text},
		// group_id: shared by the rollouts of one task that share a baseline.
		{Name: "group_id", Type: text},
		{Name: "task_id", Type: text},
		{Name: "tree_id", Type: text},
		// attempt: tries of this rollout, from 1. The digest leaves it out.
		{Name: "attempt", Type: i32},
		// row: place among the rollout's rows, from 0; is_last_row: 0 or 1.
		{Name: "row", Type: i32},
		{Name: "is_last_row", Type: i8},
		// kind: task, fold or value-probe.
		{Name: "kind", Type: text},
		// branch: node ids, root to leaf.
		{Name: "branch", Type: listOf(i32)},
		// token_ids: exactly what the model saw, then sampled.
		{Name: "token_ids", Type: listOf(i32)},
		// sampled_mask: 1 = sampled by the policy.
		{Name: "sampled_mask", Type: listOf(i8)},
		// loss_mask: 1 = sampled, and owned by this row.
		{Name: "loss_mask", Type: listOf(i8)},
		// logprobs: behaviour logprobs, 0 where not sampled.
		{Name: "logprobs", Type: listOf(f32)},
		// anchor_logprobs: of the same tokens under the run's own law, where a
		// token of the row was sampled under another; 0 where not sampled.
		{Name: anchorColumn, Type: listOf(f32), Nullable: true},
		// advantages, weights: per token; null = nobody computed them.
		{Name: "advantages", Type: listOf(f32), Nullable: true},
		{Name: "weights", Type: listOf(f32), Nullable: true},
		// prompt_len: position of the first sampled token, or the row's length.
		{Name: "prompt_len", Type: i32},
		// span_*: one entry per span; a span ends where the next one starts.
		{Name: "span_start", Type: listOf(i32)},
		{Name: "span_node", Type: listOf(i32)},
		// span_kind: base, generated or observation.
		{Name: "span_kind", Type: listOf(text)},
		// span_tag: task or fold.
		{Name: "span_tag", Type: listOf(text)},
		// span_version: policy version, empty where nothing was sampled.
		{Name: "span_version", Type: listOf(text)},
		{Name: "span_context_version", Type: listOf(i32)},
		// reward = reward_outcome + reward_step; return = reward + penalties of
		// folds. They belong to the rollout; null = nobody computed it.
		{Name: "reward", Type: f64, Nullable: true},
		{Name: "reward_outcome", Type: f64, Nullable: true},
		{Name: "reward_step", Type: f64, Nullable: true},
		{Name: "return", Type: f64, Nullable: true},
		// stop_reason: why the rollout ended; empty when search gave it up.
		{Name: "stop_reason", Type: text},
		{Name: "truncated", Type: i8},
		// exact: 0 = the ids are not a faithful record.
		{Name: "exact", Type: i8},
		// outcome_adaptive: 1 = search looked at outcomes before it made this.
		{Name: "outcome_adaptive", Type: i8},
		// valid: 0 = do not train on this row; info.invalid says why.
		{Name: "valid", Type: i8},
		// temperature to min_p: the law the tokens were drawn under; null = the
		// row's turns differ, see info.turns[].law.
		{Name: "temperature", Type: f64, Nullable: true},
		{Name: "top_p", Type: f64, Nullable: true},
		{Name: "top_k", Type: i32, Nullable: true},
		{Name: "min_p", Type: f64, Nullable: true},
		// seed: the first turn's; the others are in info.turns[].seed.
		{Name: "seed", Type: i64},
		// messages: JSON list, what token_ids render; null = not known any more.
		{Name: "messages", Type: text, Nullable: true},
		// info: JSON object, see Info.
		{Name: "info", Type: text},
	}
	nodeColumns = []arrow.Field{
		{Name: "node", Type: i32},
		// parent: null at the root.
		{Name: "parent", Type: i32, Nullable: true},
		// tree: the tree_id of samples.
		{Name: "tree", Type: text},
		{Name: "depth", Type: i32},
		// ids: the tokens the edge added; along a branch they join to the rows.
		{Name: "ids", Type: listOf(i32)},
		{Name: "visits", Type: i32},
		{Name: "value", Type: f64, Nullable: true},
		{Name: "prior", Type: f64, Nullable: true},
		// reward: of the rollout that ended here; null = none did, or no score.
		{Name: "reward", Type: f64, Nullable: true},
		{Name: "proposal", Type: text},
		{Name: "allocator", Type: text},
		{Name: "pass", Type: i32},
		// tokens: sampled on the edge, in that many turns.
		{Name: "tokens", Type: i32},
		{Name: "turns", Type: i32},
		// status: open, expanded, a stop reason, or failed:CAUSE.
		{Name: "status", Type: text},
		// server, started, generate_us, apply_us: the digest leaves them out.
		{Name: "server", Type: text},
		{Name: "started", Type: instant, Nullable: true},
		{Name: "generate_us", Type: i64},
		{Name: "apply_us", Type: i64},
	}
)

// table is one kind of shard.
type table string

const (
	tableSamples table = "samples"
	tableNodes   table = "nodes"
)

// columns are those of a table in a format.
func (t table) columns(format int) []arrow.Field {
	all := sampleColumns
	if t == tableNodes {
		all = nodeColumns
	}
	return slices.DeleteFunc(slices.Clone(all), func(f arrow.Field) bool { return since[f.Name] > format })
}
