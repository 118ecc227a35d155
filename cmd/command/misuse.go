package command

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"quell/app/job"
	"quell/cmd/option"
	"quell/denoise"
)

// misuse words an error of pflag as one sentence for a user, with a suggestion if a name is mistyped.
func misuse(cmd *cobra.Command, err error) error {
	if args := cmd.Flags().Args(); !cmd.HasParent() && len(args) > 0 {
		return noCommand(cmd, args[0]) // its flags are unknown because it is
	}
	var missing *pflag.NotExistError
	var refused *pflag.InvalidValueError
	var empty *pflag.ValueRequiredError
	switch {
	case errors.As(err, &missing):
		if letters := missing.GetSpecifiedShortnames(); letters != "" && cmd.Flags().Changed("help") && takesH(cmd) {
			return notHelp(letters)
		}
		return noFlag(cmd, missing)
	case errors.As(err, &refused):
		flag := refused.GetFlag()
		if flag.Name == "help" && takesH(cmd) {
			return notHelp(refused.GetValue())
		}
		return job.Usagef("--%s %s: %w", flag.Name, refused.GetValue(), plainer(flag, errors.Unwrap(refused)))
	case errors.As(err, &empty):
		return job.Usagef("--%s needs a value; see %s --help", empty.GetFlag().Name, cmd.CommandPath())
	}
	return job.Usagef("%w; see %s --help", err, cmd.CommandPath())
}

// noCommand is the error of a command that is unknown.
func noCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := option.DidYouMean(name, names)
	if hint == "" {
		hint = "see quell --help"
	}
	return job.Usagef("there is no command %q; %s", name, hint)
}

// noFlag is the error of a flag that is unknown. A whole word after one hyphen counts too.
func noFlag(cmd *cobra.Command, e *pflag.NotExistError) error {
	name, shown := e.GetSpecifiedName(), "--"+e.GetSpecifiedName()
	if letters := e.GetSpecifiedShortnames(); letters != "" {
		name, _, _ = strings.Cut(letters, "=")
		shown = "-" + name
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if slices.Contains(names, name) {
		return job.Usagef("there is no flag %s; did you mean --%s?", shown, name)
	}
	found := option.Closest(name, names)
	if len(found) == 0 {
		return job.Usagef("there is no flag %s; see %s --help", shown, cmd.CommandPath())
	}
	for i := range found {
		found[i] = "--" + found[i]
	}
	return job.Usagef("there is no flag %s; did you mean %s?", shown, option.Either(found))
}

// plainer says what a flag takes, if the error of its value is Go's.
func plainer(flag *pflag.Flag, err error) error {
	var number *strconv.NumError
	switch kind := flag.Value.Type(); {
	case kind == "bool":
		return errors.New("give true or false, or the flag alone")
	case !errors.As(err, &number):
		return err
	case strings.HasPrefix(kind, "float"):
		return errors.New("give a number")
	}
	return errors.New("give a whole number")
}

// takesH reports whether a command has the parameter --h, which -h is mistaken for.
func takesH(cmd *cobra.Command) bool { return cmd.Flags().Lookup("h") != nil }

// notHelp is the error of a value after -h.
func notHelp(value string) error {
	return job.Usagef("-h is for help and takes no value; write --h %s, with two hyphens", strings.TrimPrefix(value, "="))
}

// valueAfterHelp returns what follows -h among the arguments of a command that has the parameter
// --h, if it can only be its value. The flags are parsed.
func valueAfterHelp(cmd *cobra.Command, args []string) (value string, ok bool) {
	if !takesH(cmd) {
		return "", false
	}
	for i, arg := range args[:max(len(args)-1, 0)] {
		next := args[i+1]
		if arg != "-h" || !slices.Contains(cmd.Flags().Args(), next) {
			continue
		}
		if v, err := denoise.ParseValue(strings.ToLower(next)); err == nil && !v.IsWord() {
			return next, true
		}
	}
	return "", false
}
