// Package render turns conversations into prompts of token ids, and extends a
// sampled turn by what came after it without touching a sampled id.
//
// Invariants:
//
//  1. Ids that were sampled are never rendered or encoded again: a full prompt
//     splices them, a bridge begins after them.
//  2. A bridge is cut at an added token, so its ids are what encoding the whole
//     text would give there. It costs its own length, not the conversation's.
//  3. A turn that ended without its terminator gets it at the head of the
//     bridge, as an id nobody sampled.
//  4. With [Safe] no text from a message or a tool becomes a control id. With
//     [HFExact] ids are what HF's tokenizer gives for the rendered text.
//  5. For a turn whose ids are the encoding of its own text, the full prompt
//     equals previous prompt + sampled ids + bridge.
//  6. A template that renders the history in another way than it was sampled is
//     dealt with as the run declares ([Keep], [Fork], [Fail]) and counted.
//
// A conversation of two turns:
//
//	chat, err := render.Load("models/tiny", render.Options{})
//	if err != nil {
//		return err
//	}
//	first, err := chat.Prepare(messages, tools)
//	…                                    // generate, parse, run tools
//	turn.Covers = len(messages) + 1      // the reply is in turn.Context
//	messages = append(messages, reply, observation)
//	next, err := chat.Continue(turn, messages, tools)
//	next.Tokens.HasPrefix(turn.Context)  // true
//
// [Template] renders with a model's own chat template, whatever it is; [ChatML]
// with Hermes tools is written by hand, and stands in for the bundled template,
// for which it gives the same ids faster. A template's bridge renders the whole
// conversation and encodes only what is new.
//
// [Served] asks a vLLM or a llama-server to render, for models whose template is
// not at hand.
//
// It samples nothing and parses no replies.
package render
