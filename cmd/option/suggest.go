package option

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"quell/app/job"
	"quell/denoise"
)

// Closest returns the names that a mistyped word most likely stands for: names that it begins, or
// else names that the fewest changed letters make of it, at most two. It is cobra's search for
// commands, for any names. Case does not matter.
func Closest(word string, names []string) []string {
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

// DidYouMean asks whether a mistyped word stands for one of names: "did you mean nlm or bnlm?".
// It is "" if none is close.
func DidYouMean(word string, names []string) string {
	found := Closest(word, names)
	if len(found) == 0 {
		return ""
	}
	return "did you mean " + Either(found) + "?"
}

// Either lists names: "a, b or c".
func Either(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Unknown is why a word is refused that is none of names, which are all that there are of a kind.
// The kind may be "".
func Unknown(kind, word string, names []string) error {
	hint := DidYouMean(word, names)
	switch {
	case kind == "" && hint == "":
		return errors.New("give " + Either(names))
	case kind == "":
		return errors.New(hint)
	case hint == "":
		hint = "there are " + strings.Join(names, ", ")
	}
	return fmt.Errorf("no %s is called that; %s", kind, hint)
}

// Name is a flag that takes one of some names, in any case.
type Name struct {
	Value *string
	Kind  string // what is named, such as "filter"; "" if the flag says it
	Names []string
	rest  string // what may follow a name, if anything may: "="
}

// AddName adds a flag that takes one of names and writes it to value, which holds the default.
// The usage marks the word for the name that the help shows, as pflag does.
func AddName(cmd *cobra.Command, value *string, flag, kind string, names []string, usage string) *Name {
	f := &Name{Value: value, Kind: kind, Names: names}
	cmd.Flags().Var(f, flag, usage)
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(WithTexts(kind, names), cobra.ShellCompDirectiveNoFileComp)) // fails if it has one
	return f
}

var _ pflag.Value = (*Name)(nil)

func (f *Name) String() string {
	if f.Value == nil { // pflag asks a zero value for its default
		return ""
	}
	return *f.Value
}

// Type implements pflag.Value.
func (f *Name) Type() string { return "name" }

// Set implements pflag.Value.
func (f *Name) Set(s string) error {
	word, rest := s, ""
	if i := strings.Index(s, f.rest); f.rest != "" && i >= 0 {
		word, rest = s[:i], s[i:]
	}
	for _, name := range f.Names {
		if strings.EqualFold(name, word) {
			*f.Value = name + rest
			return nil
		}
	}
	return Unknown(f.Kind, word, f.Names)
}

// WithTexts adds to names of a kind what a shell may show beside them.
func WithTexts(kind string, names []string) []string {
	names = slices.Clone(names)
	for i, name := range names {
		switch kind {
		case "filter":
			if f, err := denoise.FilterByName(name); err == nil {
				names[i] += "\t" + Clause(f.Help)
			}
		case "preset":
			if p, err := job.PresetByName(name); err == nil {
				names[i] += "\t" + p.Title
			}
		}
	}
	return names
}

// Clause returns the part of a text up to the first end of a sentence or semicolon.
func Clause(text string) string {
	text, _, _ = strings.Cut(text, "; ")
	for i := range text {
		if before, ok := strings.CutSuffix(text[:i], "."); ok && text[i] == ' ' && !strings.HasSuffix(before, ".") {
			return before
		}
	}
	if !strings.HasSuffix(text, "..") {
		text = strings.TrimSuffix(text, ".")
	}
	return text
}

// Wrapped breaks a text into lines of at most so many bytes, unless a word is longer.
func Wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// UsageText is what a flag does, without the name of its value in front.
func UsageText(f *pflag.Flag) string {
	value, text := pflag.UnquoteUsage(f)
	return strings.TrimPrefix(text, value+": ")
}
