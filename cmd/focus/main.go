// Command focus runs batch rollout jobs for reinforcement learning of LLM
// agents. See package focus/cmd.
package main

import "focus/cmd"

func main() { cmd.Main(cmd.Builtin()) }
