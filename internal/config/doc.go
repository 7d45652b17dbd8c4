// Package config reads a job file strictly: every problem is reported, all at
// once, under the key as the user wrote it.
//
// Invariants:
//
//  1. A key that nothing reads is an error that names its path and the nearest
//     known key.
//  2. A value of the wrong type is an error that names its path and line.
//  3. What the schema says is what the decoder does: both walk the same Go
//     types.
//  4. Choices by `kind:` come from a [Registry]; the keys beside `kind` belong
//     to the chosen kind and to no other.
//
// Example:
//
//	doc, err := config.Parse(name, text)
//	err = doc.Set("agent.max_steps=4")
//	err = doc.Decode(&job)
//	env, err := registry.Build(job.Env)
//
// It knows no job: the types it fills are its callers'.
package config
