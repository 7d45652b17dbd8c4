// Package bench measures contenders against each other in one run: the engine
// against the fastest plain HTTP client that sends the same bodies, an engine
// against another, a policy without latency against nothing at all.
//
// Invariants:
//
//  1. Contenders take turns in slices, A B A B …, and who goes first rotates,
//     so that whatever else the machine does falls on all of them.
//  2. What is reported is a ratio within one round, and its median over the
//     rounds with minimum and maximum beside it. Turns per second are shown,
//     but belong to that machine and hour.
//  3. Every contender does the same number of turns in a slice, and an error of
//     one ends the run: a turn that failed fast would count as speed.
//  4. [Raw] reads every reply to its end and refuses any status but 200. It
//     checks and keeps nothing: it is the bound, not a client.
//  5. Garbage is collected between slices, outside the time that counts, so
//     that no contender pays for another's.
//
// The raw client against an engine, with the server in a process of its own:
//
//	srv, err := bench.StartProcess(ctx, "fakeserver", "-reply", "steady:32")
//	if err != nil {
//		return err
//	}
//	defer srv.Stop()
//	raw, err := bench.NewRaw(bench.RawConfig{URL: srv.URL, Concurrency: 64, Bodies: bodies})
//	if err != nil {
//		return err
//	}
//	defer raw.Close()
//	c, err := bench.Compare(ctx, bench.Plan{Title: "128 prompt ids", Turns: 2000}, raw, engine)
//	if err != nil {
//		return err
//	}
//	report := bench.Report{Machine: bench.ThisMachine(), Comparisons: []bench.Comparison{c}}
//	return report.WriteText(os.Stdout)
//
// Bodies that an engine really sent come from a fake server that records them
// ([Replay]); bodies of the usual form come from [Bodies].
//
// It sets no floors and starts no engine; package fake is the other end of the
// wire.
package bench
