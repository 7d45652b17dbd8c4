// Package dataset reads tasks and writes what became of them: Arrow IPC stream
// files that any trainer can read, a manifest that lists them, and the proof
// that they are what they claim. It is the only package that knows Arrow.
//
// A run's directory holds manifest.json and shards/. There are two kinds of
// file: samples (one row per region of a rollout: a training sequence) and
// nodes (one row per checkpoint of a search tree). Their columns are in
// schema.go; what a row knows beyond them is [Info]. null means that nobody
// computed a value, 0 that it was computed and is zero.
//
// Invariants, proved by [Writer.Write] before a row is written and by [Verify]
// after it is read:
//
//  1. Exact: before each sampled token of a row stand the tokens it was sampled
//     under. Every turn carries a hash of its prefix as proof, and the edges
//     along a rollout's branch, joined, are its rows, joined.
//  2. Train once: a sampled token has loss in at most one row of the run. A
//     turn is owned, whole, by the first valid row that holds it, in the order
//     of the group's trees, lines and regions; a tree is written once.
//  3. loss_mask is within sampled_mask; nothing is sampled before prompt_len;
//     logprobs and anchor_logprobs are finite and at most 0, and 0 where
//     nothing was sampled.
//  4. A row is valid unless its rollout failed or was cancelled, it only probes
//     a value, a turn's ids are not exact, or a turn has no logprobs. A row
//     that is not valid has no loss, and says why in its info.
//  5. A failed or cancelled rollout has no reward: null, never 0. Its rows are
//     kept, not valid; its last node has the status "failed:" and the cause,
//     also when it failed before its first turn and so has no row.
//  6. Spans partition a row. Each belongs to one turn, node and policy version.
//  7. All rows of a group are in the shards of one number, the rows of a tree
//     together, in the same order in both files.
//  8. The same rows in the same order make the same bytes: no clock, map order
//     or host goes into a file, except the server and times columns of nodes.
//
// and of the files, whatever crashes:
//
//  9. What the manifest lists is on disk, whole: a shard is written under a
//     temporary name, synced, renamed, its directory synced, and only then
//     listed; the manifest is replaced the same way. Other files in shards/ are
//     garbage, deleted by [Create] and [Resume].
//  10. A reader checks size and SHA-256 before it opens a file, and the number
//     of rows after: Arrow streams have no checksum, and one that was cut
//     between two messages reads as a clean end.
//  11. After any error but a refusal the writer does nothing more.
//
// Writing a run, and proving it:
//
//	w, err := dataset.Create(dataset.Config{Dir: dir, Metadata: md})
//	…
//	rows, err := dataset.Build(group)
//	…
//	if err := w.Write(rows); err != nil { … } // a *RefusedError names rollout, row, turn
//	if err := w.Close(); err != nil { … }
//	report, err := dataset.Verify(dir)
//	report.OK(), report.Digest
//
// What it does not do: estimate credit (package credit), decide what is in a
// group (package search), keep what is not yet in a shard (package journal).
package dataset
