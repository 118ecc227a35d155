package command

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/cmd/option"
	"quell/denoise"
)

// manual makes the manual pages when a package is built. Cobra's own generator adds a parser of Markdown to the program,
// which this needs not, and writes options in a form that mandoc complains about.
func manual() Command {
	return Command{
		Name:    "man [DIR]",
		Short:   "Write the manual pages into a folder, man if none is named",
		Example: "  quell man man/",
		Hidden:  true, // for those who make packages
		Args:    cobra.MaximumNArgs(1),
		Run: func(cmd *cobra.Command, args []string) error {
			date, err := manDate()
			if err != nil {
				return err
			}
			return writeMan(append(args, "man")[0], manPages(cmd.Root(), date))
		},
	}
}

// manDate is the date of the pages: of SOURCE_DATE_EPOCH, so that a package can be built twice, or else today.
func manDate() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Now().UTC(), nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, job.Usagef("SOURCE_DATE_EPOCH is %q; give seconds since 1970", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

func writeMan(dir string, pages map[string]string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// manPages returns the pages by their file names: section 1 has the commands, section 7 the filters.
func manPages(root *cobra.Command, date time.Time) map[string]string {
	pages := map[string]string{"quell.1": commandPage(root, date)}
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() || cmd.Hidden {
			pages[pageName(cmd)+".1"] = commandPage(cmd, date)
		}
	}
	for _, f := range denoise.AllFilters() {
		pages["quell-"+f.Name+".7"] = filterPage(f, date)
	}
	return pages
}

// roff is a manual page in the macros of man(7).
type roff struct{ strings.Builder }

func newPage(name, section, title string, date time.Time) *roff {
	var r roff
	fmt.Fprintf(&r, ".TH %s %s %s Quell \"Quell Manual\"\n", strings.ToUpper(name), section, date.Format("2006-01-02"))
	r.heading("NAME")
	r.text(name + " - " + title)
	return &r
}

func (r *roff) heading(title string) { fmt.Fprintf(r, ".SH %s\n", title) }

// entry writes a term and the text about it.
func (r *roff) entry(term string, texts ...string) {
	fmt.Fprintf(r, ".TP\n.B %s\n", escaped(term))
	for _, text := range texts {
		r.text(text)
	}
}

// text writes a paragraph, a sentence a line as roff asks for, with room for its escapes.
func (r *roff) text(text string) {
	for _, sentence := range strings.SplitAfter(text, ". ") {
		for _, line := range option.Wrapped(sentence, screenWidth*3/4) {
			r.WriteString(escaped(line) + "\n")
		}
	}
}

// long writes a text of paragraphs and tables: rows of tables are indented.
func (r *roff) long(text string) {
	const width = 72 // of a page within its margins
	var rows, paragraph []string
	end := func() {
		if paragraph != nil {
			r.text(strings.Join(paragraph, " "))
		}
		if rows != nil {
			r.verbatim(rows)
		}
		rows, paragraph = nil, nil
	}
	for i, line := range strings.Split(strings.TrimSpace(reflowed(text, width)), "\n") {
		switch {
		case strings.HasPrefix(line, " "):
			if paragraph != nil {
				end()
				r.WriteString(".PP\n")
			}
			rows = append(rows, line)
		case line == "":
			end()
		default:
			if paragraph == nil && i > 0 {
				end()
				r.WriteString(".PP\n")
			}
			paragraph = append(paragraph, line)
		}
	}
	end()
}

// verbatim writes lines as they are.
func (r *roff) verbatim(lines []string) {
	r.WriteString(".nf\n")
	for _, line := range lines {
		r.WriteString(escaped(line) + "\n")
	}
	r.WriteString(".fi\n")
}

// escaped is a line of text as roff reads it.
func escaped(line string) string {
	var b strings.Builder
	for i, c := range line {
		switch {
		case c == '\\':
			b.WriteString(`\e`)
		case c == '-':
			b.WriteString(`\-`)
		case i == 0 && (c == '.' || c == '\''):
			b.WriteString(`\&` + string(c))
		case c > '~':
			fmt.Fprintf(&b, `\[u%04X]`, c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// pageName is quell-NAME, or NAME of a command that has its own flags and may be called by its name alone.
func pageName(cmd *cobra.Command) string {
	if cmd.DisableFlagParsing {
		return cmd.Name()
	}
	return strings.ReplaceAll(cmd.CommandPath(), " ", "-")
}

func commandPage(cmd *cobra.Command, date time.Time) string {
	r := newPage(pageName(cmd), "1", cmd.Short, date)
	r.heading("SYNOPSIS")
	r.text(strings.TrimPrefix(strings.Join(strings.Fields(usageLine(cmd)), " "), "Usage: "))
	r.heading("DESCRIPTION")
	r.long(cmp.Or(cmd.Long, cmd.Short+"."))
	if cmd.HasAvailableSubCommands() {
		r.heading("COMMANDS")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				r.entry(c.Name(), c.Short+".")
			}
		}
	}
	status := "0 done, 1 failed."
	if !cmd.DisableFlagParsing {
		status = "0 done, 1 failed, 2 bad arguments, 3 input unreadable or refused, 130 cancelled."
		r.heading("OPTIONS")
		for _, f := range append(plainFlags(cmd), listed(cmd.InheritedFlags())...) {
			r.entry(flagName(f), sentence(option.UsageText(f)))
		}
	}
	if params := ParametersOf(cmd); len(params) > 0 {
		r.heading("PARAMETERS")
		r.text("Those of each filter are in its page, quell-NAME(7): " + strings.Join(option.FilterNames(), ", ") + ".")
	}
	if cmd.HasExample() {
		r.heading("EXAMPLES")
		r.verbatim(strings.Split(strings.Trim(cmd.Example, "\n"), "\n"))
	}
	r.heading(`"EXIT STATUS"`)
	r.text(status)
	return r.String()
}

func filterPage(f denoise.Filter, date time.Time) string {
	r := newPage("quell-"+f.Name, "7", f.Title+", a filter of quell-denoise(1)", date)
	r.heading("SYNOPSIS")
	r.text("quell denoise IN OUT --filter " + f.Name + " [parameters]")
	r.heading("DESCRIPTION")
	r.text(f.Help)
	r.WriteString(".PP\n")
	r.text("Forms: " + FormsOf(f) + ". Source: " + f.Source + ".")
	r.heading("PARAMETERS")
	for _, p := range f.Params {
		r.entry(strings.TrimSpace("--"+p.Name+" "+option.TypeOf(p)), p.Help, sentence(option.DomainOf(p, f.Strength.Param == p.Name)))
	}
	r.heading("EXAMPLES")
	r.verbatim(filterExamples(f))
	return r.String()
}
