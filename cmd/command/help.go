package command

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"quell/app/job"
	"quell/cmd/option"
)

// A screen is that of a terminal of the usual size: what --help prints fits on it.
const (
	screenWidth = 80
	screenLines = 30
)

// allFlag is the flag that has --help print everything.
const allFlag = "all"

// writeHelp writes the help of a command: everything if that is asked for or fits on the screen, else what most people
// need.
func (l *line) writeHelp(w io.Writer, cmd *cobra.Command, all bool) error {
	text := l.fullHelp(cmd)
	if !all && strings.Count(text, "\n") > screenLines {
		text = l.firstHelp(cmd)
	}
	_, err := io.WriteString(w, text)
	return err
}

// firstHelp is the first screen of a command.
func (l *line) firstHelp(cmd *cobra.Command) string {
	var b strings.Builder
	b.WriteString(strings.Join(option.Wrapped(cmd.Short+".", screenWidth), "\n") + "\n")
	if !cmd.HasParent() {
		b.WriteString("Quell is not for clinical use.\n")
	}
	b.WriteString("\n" + usageLine(cmd) + "\n")
	if cmd.HasExample() {
		b.WriteString("For example:\n" + examples(cmd, 2))
	}
	l.writeCommands(&b, cmd, false)
	if len(ParametersOf(cmd)) > 0 {
		writeFilters(&b, l.of[cmd].Filters)
	}
	rest := fmt.Sprintf("\nEverything else: quell help %s --%s\n", cmd.Name(), allFlag)
	if !cmd.HasParent() {
		return b.String() + fmt.Sprintf("\nAbout a command or a filter: quell help NAME\nNames of files, exit codes: quell --help --%s\n", allFlag)
	}
	l.writeFirstFlags(&b, cmd, screenLines-2-strings.Count(b.String()+rest, "\n"))
	return b.String() + rest
}

// writeFirstFlags lists the flags of the first screen, in as many lines as there are.
func (l *line) writeFirstFlags(b *strings.Builder, cmd *cobra.Command, lines int) {
	flags, texts := l.firstOf(cmd)
	column := columnOf(flags)
	b.WriteString("\nFlags:\n")
	for i, f := range flags {
		var entry strings.Builder
		writeEntry(&entry, flagName(f), texts[i], column)
		if lines -= strings.Count(entry.String(), "\n"); lines < 0 {
			return
		}
		b.WriteString(entry.String())
	}
}

// fullHelp is everything about a command. Parameters of filters are left to the help of each filter.
func (l *line) fullHelp(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n", reflowed(cmp.Or(cmd.Long, cmd.Short+"."), screenWidth), usageLine(cmd))
	if cmd.HasExample() {
		b.WriteString("\nExamples:\n" + examples(cmd, -1))
	}
	l.writeCommands(&b, cmd, true)
	if cmd.DisableFlagParsing { // its text has its flags
		return b.String()
	}
	writeFlags(&b, "Flags", plainFlags(cmd))
	if params := ParametersOf(cmd); len(params) > 0 {
		b.WriteString("\nParameters of filters; \"quell help NAME\" prints ranges and defaults of one:\n")
		writeParameters(&b, params)
	}
	if cmd.HasParent() {
		writeFlags(&b, "Flags of every command", listed(cmd.InheritedFlags()))
	}
	return b.String()
}

// usageLine is how a command is called.
func usageLine(cmd *cobra.Command) string {
	line := strings.Replace(cmd.UseLine(), "[parameters] [flags]", "[parameters]", 1)
	if !cmd.HasParent() {
		line = "quell COMMAND"
	}
	return strings.Join(hanging("Usage: "+line, 2), "\n")
}

// writeCommands lists the commands below one, a line each, in their groups. The names of a brief group are enough for a
// first screen.
func (l *line) writeCommands(b *strings.Builder, cmd *cobra.Command, all bool) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	groups := l.groups
	if cmd != l.root {
		groups = []Group{{}}
	}
	b.WriteString("\n")
	for _, g := range groups {
		var names []string
		var entries strings.Builder
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() && c.GroupID == g.Title {
				names = append(names, c.Name())
				writeEntry(&entries, c.Name(), option.Clause(c.Short), 14)
			}
		}
		title := cmp.Or(g.Title, "Commands")
		if g.Brief && !all {
			b.WriteString(strings.Join(hanging(title+": "+strings.Join(names, ", "), 2), "\n") + "\n")
		} else {
			b.WriteString(title + ":\n" + entries.String())
		}
	}
}

// writeFlags lists flags with all that is known about them.
func writeFlags(b *strings.Builder, title string, flags []*pflag.Flag) {
	if len(flags) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	column := columnOf(flags)
	for _, f := range flags {
		text := option.UsageText(f)
		if f.DefValue != "" && !slices.Contains([]string{"false", "0", "[]"}, f.DefValue) {
			text += " (default " + f.DefValue + ")"
		}
		writeEntry(b, flagName(f), text, column)
	}
}

// plainFlags returns the flags of a command that are no parameters of filters, in their order.
func plainFlags(cmd *cobra.Command) []*pflag.Flag {
	cmd.InitDefaultHelpFlag() // the help lists it
	cmd.InitDefaultVersionFlag()
	return slices.DeleteFunc(listed(cmd.LocalFlags()), isParameter)
}

// ParametersOf returns the flags of a command that are parameters of filters.
func ParametersOf(cmd *cobra.Command) []*pflag.Flag {
	return slices.DeleteFunc(listed(cmd.LocalFlags()), func(f *pflag.Flag) bool { return !isParameter(f) })
}

func isParameter(f *pflag.Flag) bool {
	_, is := f.Value.(*option.Param)
	return is
}

// listed returns the flags that help lists.
func listed(set *pflag.FlagSet) (flags []*pflag.Flag) {
	set.SortFlags = false
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			flags = append(flags, f)
		}
	})
	return flags
}

// firstOf returns the flags for the first screen of a command, and what each does.
func (l *line) firstOf(cmd *cobra.Command) (flags []*pflag.Flag, texts []string) {
	for _, named := range l.of[cmd].First {
		if f := cmd.Flags().Lookup(named.Flag); f != nil {
			flags, texts = append(flags, f), append(texts, cmp.Or(named.Text, option.Clause(option.UsageText(f))))
		}
	}
	if flags == nil {
		for _, f := range plainFlags(cmd) {
			flags, texts = append(flags, f), append(texts, option.Clause(option.UsageText(f)))
		}
	}
	return flags, texts
}

// flagName is a flag as it is written, with the name of its value: "--dims 2|3|auto".
func flagName(f *pflag.Flag) string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	value, _ := pflag.UnquoteUsage(f)
	switch {
	case value == "":
	case f.NoOptDefVal != "":
		name += "[=" + value + "]"
	default:
		name += " " + value
	}
	return name
}

// columnOf is the column in which the texts of flags begin: behind most of them.
func columnOf(flags []*pflag.Flag) int {
	column := 12
	for _, f := range flags {
		if n := len(flagName(f)) + 4; n <= 26 {
			column = max(column, n)
		}
	}
	return column
}

// writeEntry writes a name and, from a column on, its text. A name that is too long has a line of its own.
func writeEntry(b *strings.Builder, name, text string, column int) {
	lines := option.Wrapped(text, screenWidth-column)
	line := "  " + name
	if len(line)+1 > column {
		b.WriteString(line + "\n")
		line = ""
	}
	for _, l := range lines {
		fmt.Fprintf(b, "%-*s%s\n", column, line, l)
		line = ""
	}
}

// hanging wraps a text for the screen; all lines but the first are indented.
func hanging(text string, indent int) []string {
	lines := option.Wrapped(text, screenWidth-indent)
	for i := range lines[1:] {
		lines[i+1] = strings.Repeat(" ", indent) + lines[i+1]
	}
	return lines
}

// row is the beginning of a row of a table: spaces, and a name if its text is apart from it.
var row = regexp.MustCompile(`^ +(\S+  +)?`)

// reflowed breaks the paragraphs of a text anew. Indented lines are tables and stay unless they are too long.
func reflowed(text string, width int) string {
	var lines, paragraph []string
	end := func() {
		if paragraph != nil {
			lines = append(lines, option.Wrapped(strings.Join(paragraph, " "), width)...)
		}
		paragraph = nil
	}
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		head := row.FindString(line)
		switch {
		case head == "" && line != "":
			paragraph = append(paragraph, line)
		case len(line) > width:
			end()
			for _, part := range option.Wrapped(line[len(head):], width-len(head)) {
				lines = append(lines, head+part)
				head = strings.Repeat(" ", len(head))
			}
		default:
			end()
			lines = append(lines, line)
		}
	}
	end()
	return strings.Join(lines, "\n")
}

// examples returns the examples of a command, or the first n that fit into a line. One that is too long goes on in the
// next line, as a shell reads it.
func examples(cmd *cobra.Command, n int) string {
	var b strings.Builder
	for line := range strings.Lines(cmd.Example) {
		line = strings.TrimRight(line, "\n")
		switch {
		case n < 0:
			b.WriteString("  " + strings.Join(option.Wrapped(line, screenWidth-8), " \\\n      ") + "\n")
		case n > 0 && len(line) <= screenWidth:
			b.WriteString(line + "\n")
			n--
		}
	}
	return b.String()
}

// refuseAll refuses --all without --help, which would have ended the command before.
func refuseAll(cmd *cobra.Command) error {
	if cmd.Flags().Changed(allFlag) {
		return job.Usagef("--%s goes with --help: quell help %s --%s", allFlag, cmd.Name(), allFlag)
	}
	return nil
}
