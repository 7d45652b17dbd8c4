package cmd

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"focus/policy/render"
)

func renderCommand() *cobra.Command {
	var messages, tools string
	var kwargs []string
	var asJSON, finished bool
	var o render.Options
	c := &cobra.Command{
		Use:   "render MODEL_DIR --messages FILE",
		Short: "Print what a model's chat template makes of a conversation",
		Long: `Render prints a conversation as the model is sent it: the text, which bytes of it came
from which message, and the ids. MODEL_DIR holds tokenizer.json and the chat template, as
chat_template.jinja or in tokenizer_config.json. The messages, and the tools, are JSON
lists in the form that transformers takes.`,
		Example: "  focus render models/qwen3 --messages talk.json --kwarg enable_thinking=false",
		Args:    exactly(1, "one model folder"),
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if o.Kwargs, err = parseKwargs(kwargs); err != nil {
				return refused(err)
			}
			r, err := renderFiles(args[0], messages, tools, o, !finished)
			if err != nil {
				return refused(err)
			}
			if asJSON {
				err = printJSON(c.OutOrStdout(), r)
			} else {
				err = writeRendered(c.OutOrStdout(), r)
			}
			if err != nil {
				return &exit{ExitBroke, err}
			}
			return nil
		},
	}
	c.Flags().StringVar(&messages, "messages", "", "a JSON `file` of messages")
	c.Flags().StringVar(&tools, "tools", "", "a JSON `file` of tools")
	c.Flags().StringArrayVar(&kwargs, "kwarg", nil, "a variable of the template: `key=value`, a JSON value or else a text; repeatable")
	c.Flags().StringVar((*string)(&o.Tokens), "tokens", "safe", "`safe`, or hf-exact: markers in messages become control ids, as in transformers")
	c.Flags().StringVar(&o.Date, "date", "", "the `date` that a template is told, such as 2026-01-31")
	c.Flags().BoolVar(&finished, "finished", false, "without the prompt for the next assistant turn")
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

// parseKwargs reads key=value, where a value that is not JSON is a text.
func parseKwargs(list []string) (map[string]any, error) {
	out := map[string]any{}
	for _, s := range list {
		key, text, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("--kwarg %q: want key=value", s)
		}
		var v any = text
		if json.Valid([]byte(text)) {
			v = json.RawMessage(text)
		}
		out[key] = v
	}
	return out, nil
}

func renderFiles(dir, messages, tools string, o render.Options, next bool) (render.Rendered, error) {
	var none render.Rendered
	if messages == "" {
		return none, fmt.Errorf("--messages is missing: give a JSON file of messages")
	}
	talk, err := os.ReadFile(messages)
	if err != nil {
		return none, fmt.Errorf("--messages: %w", err)
	}
	var schemas []byte
	if tools != "" {
		if schemas, err = os.ReadFile(tools); err != nil {
			return none, fmt.Errorf("--tools: %w", err)
		}
	}
	t, err := render.LoadTemplate(os.DirFS(dir), o)
	if err != nil {
		return none, fmt.Errorf("model folder %s: %w", dir, err)
	}
	return t.RenderJSON(talk, schemas, next)
}

// writeRendered prints a rendered conversation for a person.
func writeRendered(w io.Writer, r render.Rendered) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "text, %d bytes\n%s\n", len(r.Text), r.Text)
	fmt.Fprintf(b, "\nfrom messages and tools, %d spans\n", len(r.Content))
	for _, s := range r.Content {
		from := "tools"
		if s.Message >= 0 {
			from = fmt.Sprintf("message %d", s.Message)
		}
		fmt.Fprintf(b, "%6d–%-6d %-11s %q\n", s.Start, s.End, from, r.Text[s.Start:s.End])
	}
	if len(r.Generation) > 0 {
		fmt.Fprintf(b, "\nmarked as the assistant's, %d spans\n", len(r.Generation))
		for _, s := range r.Generation {
			fmt.Fprintf(b, "%6d–%-6d %q\n", s.Start, s.End, r.Text[s.Start:s.End])
		}
	}
	fmt.Fprintf(b, "\nids, %d\n", len(r.IDs))
	for i, id := range r.IDs {
		if sep := " "; i > 0 {
			if i%16 == 0 {
				sep = "\n"
			}
			b.WriteString(sep)
		}
		fmt.Fprint(b, id)
	}
	b.WriteString("\n")
	return b.Flush()
}
