// Package parser reads finished replies: it says what a reply asks for, what it
// says beside that, and what was tried and went wrong. One dialect is one file.
//
// # Invariants
//
//  1. Nothing of a reply runs unless every attempt in it parsed and closed. The
//     first failure ends the reading; there is no search for a place to go on.
//  2. Nothing runs unless generation ended by a stop id. Calls that are complete
//     in a reply cut by a cap or an abort do not run: another could have followed.
//  3. The terminator is not content. It is dropped by id before anything is read.
//  4. Ids say nothing about meaning: a model writes a marker inside a string with
//     the same id as a real one. Every dialect is read from text, by its grammar.
//  5. In tag dialects a value ends at the first closing tag that is followed by
//     what the grammar allows there, so a closing tag inside a value survives.
//  6. JSON is RFC 8259 and no more: no NaN, raw control character, trailing comma,
//     comment or leading zero; no key twice, no half of a surrogate pair, no
//     invalid UTF-8, at most 100 levels. Numbers stay as written, keys in order.
//  7. A JSON value is never turned into another type. Text values are typed by the
//     tool's schema, and stay text where they do not fit it.
//  8. A call object has a name and at most one of arguments and parameters, which
//     is an object, null, or a string that holds an object.
//  9. A tool nobody declared is still a call where calls are marked: the
//     environment answers. Where they are not marked it is text.
//  10. Reasoning is split off first: the block at the very start, or everything up
//     to the closing marker when the prompt opened it. A call inside it is no
//     call; a call inside reasoning that never closes is malformed.
//  11. A marker of the dialect out of its place is a failed attempt, and so is the
//     beginning of an opening marker at the end of a reply.
//  12. Content is the text around the calls, each stretch trimmed, joined by
//     newlines. It is for tools and people: training uses the sampled ids.
//  13. Call ids are the model's own where the dialect writes them, else call_0,
//     call_1, … in order, skipping what the model wrote itself.
//  14. The verdict depends on the text alone, not on how it was cut into ids or
//     into segments ([Reply.Before]). Only spans depend on the ids.
//  15. Every attempt is kept, with its status, the reason it failed and its span
//     of sampled ids.
//
// # A failed reply
//
// Its action is [rollout.Invalid] with a sentence for the model. Its message has
// no tool calls, since nobody will answer them; its content is all that stands
// after the reasoning, as written, so that a history rendered from text shows
// the model what it did. Complete calls before the failure are in the attempts.
// A block that fails is one attempt, whatever it holds.
//
// # Call ids and the conversation
//
// A parser sees one reply and holds no state, so call_0 occurs in every turn.
// Within a turn the id links a result to its call; across turns the order of
// messages does, which is all that most templates look at. A caller whose server
// wants ids that are unique in the conversation prefixes the turn's number.
//
// # Example
//
//	p := parser.Hermes()
//	got := p.Parse(parser.Reply{
//		Tokens: c.Tokens, Text: text, Ends: ends,
//		Finish: c.Finish, Matched: c.Matched, Tools: tools,
//	})
//	switch a := got.Action.(type) {
//	case rollout.Calls: // run a.Calls
//	case rollout.Text: // an answer
//	case rollout.Invalid: // tell the model a.Feedback
//	}
//
// # Not here
//
// Whether a tool exists and its arguments fit its schema is the environment's to
// say. Streaming is not read: a reply is parsed when it is finished.
package parser
