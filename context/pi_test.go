package contexts_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	contexts "focus/context"
	"focus/rollout"
)

// piConversations is how many conversations are compared.
const piConversations = 10000

type piCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type piMessage struct {
	Role      rollout.Role `json:"role"`
	Content   string       `json:"content,omitempty"`
	Reasoning string       `json:"reasoning,omitempty"`
	Calls     []piCall     `json:"calls,omitempty"`
	ID        string       `json:"id,omitempty"`
	Name      string       `json:"name,omitempty"`
}

type piReply struct {
	Stop  string   `json:"stop"`
	Texts []string `json:"texts"`
	Call  bool     `json:"call"`
}

type piCase struct {
	Head    bool          `json:"head"`
	Entries [][]piMessage `json:"entries"`
	Keep    int           `json:"keep"`
	Reply   piReply       `json:"reply"`
}

type piAnswer struct {
	Cut       int     `json:"cut"`
	Order     [][]any `json:"order"`
	Text      string  `json:"text"`
	Estimates []int   `json:"estimates"`
	Summary   string  `json:"summary"`
	Failure   string  `json:"failure"`
}

// piPython is an interpreter that has the package; the test is skipped without.
func piPython(t *testing.T) string {
	python := os.Getenv("FOCUS_PI_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import pi_durable.harness.compaction").CombinedOutput(); err != nil {
		t.Skipf("needs Python with `pip install pi-durable-python==1.3.0`, its interpreter named by FOCUS_PI_PYTHON: %v %s", err, lastLine(out))
	}
	return python
}

func lastLine(b []byte) string {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return lines[len(lines)-1]
}

// The cut, the order of the messages, the serialised record, the estimate of
// each message and the verdict on a reply are those of pi-durable-python.
func TestAgreesWithPi(t *testing.T) {
	python := piPython(t)
	rng := rand.New(rand.NewPCG(5, 1))
	cases := make([]piCase, piConversations)
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	enc.SetEscapeHTML(false)
	for i := range cases {
		cases[i] = piGenerate(rng)
		require.NoError(t, enc.Encode(cases[i]))
	}
	c := exec.Command(python, "testdata/pi_compare.py", contexts.MissingResult, "[... and N characters more]")
	c.Stdin, c.Stderr = &in, os.Stderr
	out, err := c.Output()
	require.NoError(t, err)
	answers := bufio.NewScanner(bytes.NewReader(out))
	answers.Buffer(nil, 1<<24)
	cuts, accepted := 0, 0
	for i, tc := range cases {
		require.True(t, answers.Scan(), "answer %d is missing", i)
		var want piAnswer
		require.NoError(t, json.Unmarshal(answers.Bytes(), &want))
		got := piAnswerOf(tc)
		shown, err := json.Marshal(tc)
		require.NoError(t, err)
		require.Equal(t, want, got, "conversation %d: %s", i, shown)
		if want.Cut >= 0 {
			cuts++
		}
		if want.Failure == "" {
			accepted++
		}
	}
	require.False(t, answers.Scan(), "more answers than conversations")
	t.Logf("%d conversations, %d of them cut, %d replies accepted", len(cases), cuts, accepted)
	require.Greater(t, cuts, piConversations/5, "the generator cuts too rarely to compare anything")
	require.Greater(t, accepted, piConversations/10)
}

// piAnswerOf is what this package makes of a conversation.
func piAnswerOf(tc piCase) piAnswer {
	v := contexts.View{Head: tc.Head, Entries: make([][]rollout.Message, len(tc.Entries))}
	out := piAnswer{Order: [][]any{}, Estimates: []int{}}
	for i, entry := range tc.Entries {
		for _, m := range entry {
			own := m.message()
			v.Entries[i] = append(v.Entries[i], own)
			out.Estimates = append(out.Estimates, contexts.EstimateTokens(own))
		}
	}
	cut, ok := contexts.SelectCut(v, tc.Keep)
	out.Cut = cut
	if !ok {
		cut, out.Cut = len(v.Entries), -1
	}
	ordered := contexts.Summarized(v, cut)
	for _, m := range ordered {
		row := []any{string(m.Role), "", "", false}
		if m.Role == rollout.RoleTool {
			missing := m.Content == contexts.MissingResult
			row = []any{"tool", m.ToolCallID, m.Content, missing}
			if missing {
				row[2] = ""
			}
		}
		out.Order = append(out.Order, row)
	}
	out.Text = contexts.SerializeConversation(ordered)
	summary, failure := contexts.SummaryText(tc.Reply.read())
	out.Summary, out.Failure = summary, string(failure)
	return out
}

func (m piMessage) message() rollout.Message {
	out := rollout.Message{Role: m.Role, Content: m.Content, Reasoning: m.Reasoning, ToolCallID: m.ID, Name: m.Name}
	for _, c := range m.Calls {
		out.ToolCalls = append(out.ToolCalls, rollout.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	return out
}

// read is the reply as a turn has it.
func (r piReply) read() (rollout.Finish, rollout.Action) {
	finish := map[string]rollout.Finish{
		"stop": rollout.FinishStop, "length": rollout.FinishLength, "error": rollout.FinishAbort, "aborted": rollout.FinishAbort,
	}[r.Stop]
	text := strings.Join(r.Texts, "\n")
	if r.Call {
		return finish, rollout.Calls{Content: text, Calls: []rollout.ToolCall{{Name: "f"}}}
	}
	return finish, rollout.Text{Content: text}
}

func piGenerate(rng *rand.Rand) piCase {
	tc := piCase{Head: rng.IntN(3) == 0, Keep: rng.IntN(160), Entries: [][]piMessage{}}
	if rng.IntN(8) == 0 {
		tc.Keep = 0
	}
	var open []piCall
	calls := 0
	for range rng.IntN(14) {
		var entry []piMessage
		for range []int{0, 1, 1, 1, 1, 1, 2, 3}[rng.IntN(8)] {
			m := piMessage{Content: piText(rng)}
			switch n := rng.IntN(10); {
			case n < 3:
				m.Role = rollout.RoleUser
			case n < 6:
				m.Role = rollout.RoleAssistant
				if rng.IntN(4) == 0 {
					m.Reasoning = piText(rng)
				}
				open = nil
				for range rng.IntN(4) {
					calls++
					c := piCall{ID: fmt.Sprint("c", calls), Name: []string{"look", "run_it", "søk"}[rng.IntN(3)], Arguments: piArguments(rng)}
					m.Calls, open = append(m.Calls, c), append(open, c)
				}
			case n < 9 && len(open) > 0:
				c := open[rng.IntN(len(open))]
				m.Role, m.ID, m.Name = rollout.RoleTool, c.ID, c.Name
				if rng.IntN(20) == 0 {
					m.Content = strings.Repeat("né", 990+rng.IntN(30))
				}
			default:
				m.Role, m.ID, m.Name = rollout.RoleTool, fmt.Sprint("c", rng.IntN(calls+2)), "look"
			}
			entry = append(entry, m)
		}
		tc.Entries = append(tc.Entries, entry)
	}
	for i, entry := range tc.Entries {
		if entry == nil {
			tc.Entries[i] = []piMessage{}
		}
	}
	if tc.Head {
		tc.Entries = append([][]piMessage{{{Role: rollout.RoleUser, Content: piText(rng)}}}, tc.Entries...)
	}
	tc.Reply = piReply{Stop: []string{"stop", "stop", "stop", "length", "error", "aborted"}[rng.IntN(6)], Call: rng.IntN(4) == 0, Texts: []string{}}
	for range rng.IntN(3) {
		tc.Reply.Texts = append(tc.Reply.Texts, piText(rng))
	}
	return tc
}

var piWords = []string{"", " ", "\n", "\t", "a", "plan", "\"quoted\"", `back\slash`, "naïve", "漢字", "🙂", "<b>&", "\u2028", "\x7f", "x\x01y", "{\"k\": 1}"}

func piText(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(12) {
		b.WriteString(piWords[rng.IntN(len(piWords))])
	}
	return b.String()
}

// piArguments is an object as a model might write it, blanks included.
func piArguments(rng *rand.Rand) json.RawMessage {
	var b strings.Builder
	b.WriteString("{")
	for i := range rng.IntN(4) {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "\"k%d%s\": %s", i, []string{"", "é", "\\n"}[rng.IntN(3)], piValue(rng, 0))
	}
	b.WriteString("}")
	return json.RawMessage(b.String())
}

func piValue(rng *rand.Rand, depth int) string {
	n := rng.IntN(9)
	if depth > 2 {
		n = rng.IntN(6)
	}
	switch n {
	case 0:
		return fmt.Sprint(rng.IntN(2000) - 1000)
	case 1:
		return fmt.Sprintf("%d.%d5", rng.IntN(100), rng.IntN(10))
	case 2:
		return []string{"true", "false", "null"}[rng.IntN(3)]
	case 3, 4, 5:
		s, err := json.Marshal(piText(rng))
		if err != nil {
			panic(err) // text
		}
		return string(s)
	case 6:
		return "[" + piValue(rng, depth+1) + " , " + piValue(rng, depth+1) + "]"
	case 7:
		return "[]"
	}
	return `{"in": ` + piValue(rng, depth+1) + `, "o": {}}`
}
