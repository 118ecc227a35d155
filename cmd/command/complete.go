package command

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"quell/app/job"
	"quell/app/open"
	"quell/cmd/option"
	"quell/denoise"
	"quell/internal/clean"
)

// shells are those that cobra writes completions for.
var shells = map[string]func(*cobra.Command) error{
	"bash":       func(root *cobra.Command) error { return root.GenBashCompletionV2(root.OutOrStdout(), true) },
	"zsh":        func(root *cobra.Command) error { return root.GenZshCompletion(root.OutOrStdout()) },
	"fish":       func(root *cobra.Command) error { return root.GenFishCompletion(root.OutOrStdout(), true) },
	"powershell": func(root *cobra.Command) error { return root.GenPowerShellCompletionWithDesc(root.OutOrStdout()) },
}

// completion is quell completion.
func completion() Command {
	names := []string{"bash", "zsh", "fish", "powershell"}
	return Command{
		Name:  "completion bash|zsh|fish|powershell",
		Short: "Print what makes a shell complete the commands, flags and their values",
		Long: `Print a script that makes a shell complete commands, flags, and their values: filters,
presets, recipes, engines, the series of IN, and what a parameter takes. A package of the
system installs it; without one:

  bash        quell completion bash >~/.local/share/bash-completion/completions/quell
  zsh         quell completion zsh >"${fpath[1]}/_quell"
  fish        quell completion fish >~/.config/fish/completions/quell.fish
  powershell  quell completion powershell | Out-String | Invoke-Expression`,
		Example: `  quell completion bash
  quell completion zsh`,
		Args:  Exactly(1, "the name of a shell: "+option.Either(names)),
		Flags: func(cmd *cobra.Command) { cmd.ValidArgs = names },
		Run: func(cmd *cobra.Command, args []string) error {
			write := shells[strings.ToLower(args[0])]
			if write == nil {
				return job.Usagef("%s: %w", args[0], option.Unknown("shell", args[0], names))
			}
			cmd.Root().SetOut(cmd.OutOrStdout())
			return write(cmd.Root())
		},
	}
}

// addCompletions adds what the declarations of the flags do not say: values of parameters, files and series.
func addCompletions(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		complete := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) { // files
			return nil, cobra.ShellCompDirectiveDefault
		}
		switch v := f.Value.(type) {
		case *option.Param:
			complete = func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
				return valuesOf(cmd, f.Name), cobra.ShellCompDirectiveNoFileComp
			}
		case *option.Series:
			complete = completeSeries
		case option.Input:
			if v.Ending != "" {
				complete = cobra.FixedCompletions([]string{v.Ending}, cobra.ShellCompDirectiveFilterFileExt)
			}
		case option.Output:
			if v.Kind == nil {
				complete = cobra.NoFileCompletions
			}
		default:
			return
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // fails if it has one
	})
}

// filterGiven returns the filter that the flags of a command name, if they do.
func filterGiven(cmd *cobra.Command) (denoise.Filter, bool) {
	name := func(flag string) string {
		if f := cmd.Flags().Lookup(flag); f != nil {
			return f.Value.String()
		}
		return ""
	}
	filter := name("filter")
	if p, err := job.PresetByName(name("preset")); err == nil && filter == "" {
		filter = p.Recipe.Filter
	}
	f, err := denoise.FilterByName(filter)
	return f, err == nil
}

// valuesOf returns values that a parameter takes: of the filter that is named, or of all that have it.
func valuesOf(cmd *cobra.Command, param string) (values []string) {
	add := func(value, about string) {
		if about != "" {
			about = "\t" + about
		}
		if value != "" && !slices.ContainsFunc(values, func(v string) bool { return v == value || strings.HasPrefix(v, value+"\t") }) {
			values = append(values, value+about)
		}
	}
	filters := denoise.AllFilters()
	if f, ok := filterGiven(cmd); ok {
		filters = []denoise.Filter{f}
	}
	for _, f := range filters {
		p, ok := f.Param(param)
		if !ok {
			continue
		}
		add(p.Default.String(), "default; "+strings.TrimSuffix(option.DomainOf(p, f.Strength.Param == param), ", default "+p.Default.String()))
		for _, word := range option.WordsOf(param, f) {
			add(word, "")
		}
	}
	return values
}

// seriesTime is how long the shell waits for the headers of a folder.
const seriesTime = 3 * time.Second

// completeSeries completes the number of a series by those of IN, the first argument.
func completeSeries(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	values := []string{"all\tall volumes of the largest 4-D series"}
	if len(args) == 0 {
		return values, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), seriesTime)
	defer cancel()
	catalog, err := open.ScanUnlogged(ctx, args[0])
	if err != nil {
		return values, cobra.ShellCompDirectiveNoFileComp
	}
	defer catalog.Close()
	for i, e := range catalog.Entries {
		about := fmt.Sprintf("%s %s", open.DimsText(e.Geometry.Dims), e.Meta.Description)
		if e.Err == nil {
			values = append(values, strconv.Itoa(i+1)+"\t"+clean.Line(about))
		}
	}
	return values, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// forShell prepares a command line that a shell completes: flags have short texts, and parameters of other filters than
// the one that is named are hidden. It returns the arguments to run.
func forShell(root *cobra.Command, args []string) []string {
	if len(args) < 2 || !strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return args
	}
	cmd, rest, err := root.Find(args[1:])
	if err != nil {
		return args
	}
	for _, flag := range append(listed(cmd.LocalFlags()), listed(cmd.InheritedFlags())...) {
		flag.Usage = option.Clause(option.UsageText(flag))
	}
	filter := ""
	for i, arg := range rest {
		if name, ok := strings.CutPrefix(arg, "--filter="); ok {
			filter = name
		} else if arg == "--filter" && i+2 < len(rest) { // the last word is the one that is completed
			filter = rest[i+1]
		}
	}
	if f, err := denoise.FilterByName(strings.ToLower(filter)); err == nil {
		for _, flag := range ParametersOf(cmd) {
			p, has := f.Param(flag.Name)
			flag.Hidden, flag.Usage = !has, option.Clause(p.Help)
		}
	}
	return longLetter(cmd, args)
}

// longLetter gives the flag before the word that is completed a longer name if it is one letter: cobra takes --h for -h
// there.
func longLetter(cmd *cobra.Command, args []string) []string {
	place := len(args) - 2
	letter, long := strings.CutPrefix(args[place], "--")
	flag := cmd.Flags().Lookup(letter)
	if !long || len(letter) != 1 || flag == nil {
		return args
	}
	name := "parameter-" + letter
	cmd.Flags().VarPF(flag.Value, name, "", "").Hidden = true
	if complete, ok := cmd.GetFlagCompletionFunc(letter); ok {
		_ = cmd.RegisterFlagCompletionFunc(name, complete) // fails if it has one
	}
	args = slices.Clone(args)
	args[place] = "--" + name
	return args
}

// completeHelp completes the names that quell help knows.
func completeHelp(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, c := range cmd.Root().Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name()+"\t"+c.Short)
		}
	}
	return append(names, option.WithTexts("filter", option.FilterNames())...), cobra.ShellCompDirectiveNoFileComp
}
