// Package cmd is the focus command line: run, verify, inspect, serve, bench, exactness, render,
// schema and version. It wires the layers and prints; it computes nothing.
//
// A binary with kinds of its own registers them and is a focus like any other:
//
//	package main
//
//	import "focus/cmd"
//
//	func main() {
//		r := cmd.Builtin()
//		cmd.RegisterEnv(r, "mine", "my world", func(c mine.Config) (env.Env, error) { return mine.New(c) })
//		cmd.Main(r)
//	}
//
// Exit codes:
//
//	0    done: every group is written and the files verify
//	1    the job broke: a disk, a bug; the run's files are as far as the manifest says
//	2    refused before anything started: arguments, job file, tasks, server, output folder
//	3    gave up: the infrastructure kept failing; what was finished is written and verifies
//	4    a check found problems (verify)
//	130  stopped by a signal; what was finished is written and verifies
package cmd
