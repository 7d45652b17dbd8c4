package expert

import (
	"fmt"

	"focus/env"
	"focus/env/calculator"
	"focus/env/countdown"
	"focus/env/notes"
	"focus/rollout"
)

// Family is a bundled family with the expert that plays it.
type Family struct {
	env.Family
	Name  string
	Tools []rollout.ToolSchema
	// Varies says that problems with one key still differ, as notes do: the same
	// question over another corpus.
	Varies bool

	key func(rollout.Task) (string, error)
	// act is the reply to a conversation; it sees nothing else.
	act func([]rollout.Message) (rollout.Message, error)
	// slips are the mistakes that may come before a reply.
	slips []slip
	// fold is the notes that a fold of the conversation is to write; nil where
	// the expert does not fold.
	fold func([]rollout.Message) (rollout.Message, error)
}

// Options choose the problems.
type Options struct {
	// Notes is the difficulty of notes; its split is not looked at.
	Notes notes.Config
	// Split keeps to one side of the problems.
	Split env.Split
}

// Names are the families that have an expert.
func Names() []string { return []string{calculator.Name, countdown.Name, notes.Name} }

// New is the family of a name with its expert.
func New(name string, o Options) (Family, error) {
	switch name {
	case calculator.Name:
		f, err := calculator.New(calculator.Config{Split: o.Split})
		if err != nil {
			return Family{}, err
		}
		return Family{
			Family: f, Name: name, Tools: f.Tools(),
			key: calculator.Key, act: calculate, slips: calculatorSlips(),
		}, nil
	case countdown.Name:
		f, err := countdown.New(countdown.Config{Split: o.Split})
		if err != nil {
			return Family{}, err
		}
		return Family{Family: f, Name: name, Tools: f.Tools(), key: countdown.Key, act: countDown}, nil
	case notes.Name:
		o.Notes.Split = o.Split
		f, err := notes.New(o.Notes)
		if err != nil {
			return Family{}, err
		}
		return Family{
			Family: f, Name: name, Tools: f.Tools(), Varies: true,
			key: notes.Key, act: lookUp, slips: notesSlips(), fold: foldNotes,
		}, nil
	}
	return Family{}, fmt.Errorf("family %q is none of %v", name, Names())
}

// Key names the problem of a task of the family.
func (f Family) Key(task rollout.Task) (string, error) { return f.key(task) }
