package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"quell/app/job"
	"quell/denoise"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// closest returns the names that a mistyped word most likely stands for: names that it begins, or
// else names that the fewest changed letters make of it, at most two. It is cobra's search for
// commands, for any names. Case does not matter.
func closest(word string, names []string) []string {
	if len(word) < 2 {
		return nil // nearly every short name is as close
	}
	list := &cobra.Command{}
	for _, name := range names {
		list.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	for most := range min(2, (len(word)+1)/2) + 1 {
		list.SuggestionsMinimumDistance = most
		if found := list.SuggestionsFor(word); len(found) > 0 {
			return found
		}
	}
	return nil
}

// didYouMean asks whether a mistyped word stands for one of names: "did you mean nlm or bnlm?".
// It is "" if none is close.
func didYouMean(word string, names []string) string {
	found := closest(word, names)
	if len(found) == 0 {
		return ""
	}
	return "did you mean " + either(found) + "?"
}

// either lists names: "a, b or c".
func either(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// unknown is why a word is refused that is none of names, which are all that there are of a kind.
// The kind may be "".
func unknown(kind, word string, names []string) error {
	hint := didYouMean(word, names)
	switch {
	case kind == "" && hint == "":
		return errors.New("give " + either(names))
	case kind == "":
		return errors.New(hint)
	case hint == "":
		hint = "there are " + strings.Join(names, ", ")
	}
	return fmt.Errorf("no %s is called that; %s", kind, hint)
}

// nameFlag is a flag that takes one of some names, in any case.
type nameFlag struct {
	value *string
	kind  string // what is named, such as "filter"; "" if the flag says it
	names []string
	rest  string // what may follow a name, if anything may: "="
}

// addNameFlag adds a flag that takes one of names and writes it to value, which holds the default.
// The usage marks the word for the name that the help shows, as pflag does.
func addNameFlag(cmd *cobra.Command, value *string, flag, kind string, names []string, usage string) *nameFlag {
	f := &nameFlag{value: value, kind: kind, names: names}
	cmd.Flags().Var(f, flag, usage)
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(withTexts(kind, names), cobra.ShellCompDirectiveNoFileComp)) // fails if it has one
	return f
}

var _ pflag.Value = (*nameFlag)(nil)

func (f *nameFlag) String() string {
	if f.value == nil { // pflag asks a zero value for its default
		return ""
	}
	return *f.value
}

func (f *nameFlag) Type() string { return "name" }

func (f *nameFlag) Set(s string) error {
	word, rest := s, ""
	if i := strings.Index(s, f.rest); f.rest != "" && i >= 0 {
		word, rest = s[:i], s[i:]
	}
	for _, name := range f.names {
		if strings.EqualFold(name, word) {
			*f.value = name + rest
			return nil
		}
	}
	return unknown(f.kind, word, f.names)
}

// withTexts adds to names of a kind what a shell may show beside them.
func withTexts(kind string, names []string) []string {
	names = slices.Clone(names)
	for i, name := range names {
		switch kind {
		case "filter":
			if f, err := denoise.FilterByName(name); err == nil {
				names[i] += "\t" + clause(f.Help)
			}
		case "preset":
			if p, err := job.PresetByName(name); err == nil {
				names[i] += "\t" + p.Title
			}
		}
	}
	return names
}
