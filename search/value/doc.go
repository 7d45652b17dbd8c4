// Package value asks a value model what checkpoints are worth: a server of the
// user's own that reads token ids and answers numbers.
//
// A request is one POST, of at most Batch states:
//
//	{"states": [{"task_id": "t-1", "turns": 2, "token_ids": [1, 2, 3]}, …]}
//
// token_ids are the whole prompt that the policy would be sent next, turns is
// how many turns of the rollout there were, folds included. The answer has one
// number for each state, in order, null where there is none:
//
//	{"values": [0.25, null, …]}
//
// Invariants:
//
//  1. A score that failed, came late, is null or no finite number, or came in a
//     list of another length, is missing (nil), never zero, and is counted by
//     its cause. It is not asked for again.
//  2. States of all rollouts share requests: one is sent when it is full, or
//     when its first state has waited for Wait, and a connection is free.
//  3. At most Connections requests are open at once; states wait for them, in
//     order.
//  4. One goroutine owns the open batch. It and the requests have ended when
//     Close returns, and whoever waits has an answer.
//  5. Who stops waiting does not take the request from the others in it.
//
// What is in a request beside a state depends on timing, so a tree is the same
// twice only if a score does not depend on that.
//
//	model, err := value.New(value.Defaults().At("http://127.0.0.1:9000/values"))
//	model.Reads(prompt)
//	defer model.Close()
//	estimates := model.Values(ctx, states)
//
// It does not retry, and does not train the model.
package value
