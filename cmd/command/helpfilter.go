package command

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"quell/cmd/option"
	"quell/denoise"
)

// writeFilterHelp writes what a person needs to use one filter: its parameters alone, with domains and defaults.
func writeFilterHelp(w io.Writer, f denoise.Filter) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s (%s)\n", f.Name, f.Title, FormsOf(f))
	for _, text := range []string{f.Help, "Source: " + f.Source + "."} {
		b.WriteString(strings.Join(option.Wrapped(text, screenWidth), "\n") + "\n")
	}
	fmt.Fprintf(&b, "\nUsage: quell denoise IN OUT --filter %s [parameters]\n\nExamples:\n", f.Name)
	for _, example := range filterExamples(f) {
		fmt.Fprintf(&b, "  %s\n", example)
	}
	b.WriteString("\nParameters:\n")
	for _, p := range f.Params {
		name := "--" + p.Name
		if kind := option.TypeOf(p); kind != "" {
			name += " " + kind
		}
		fmt.Fprintf(&b, "  %s\n", name)
		for _, text := range []string{p.Help, sentence(option.DomainOf(p, f.Strength.Param == p.Name))} {
			writeEntry(&b, "", text, 6)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sentence begins a clause with a capital letter and ends it.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// filterExamples are commands with a filter: as it is, with its strength found, and in its other form with a parameter.
func filterExamples(f denoise.Filter) []string {
	const command = "quell denoise in.nii denoised.nii --filter "
	examples := []string{command + f.Name}
	if f.Strength.Param != "" {
		examples = append(examples, command+f.Name+" --"+f.Strength.Param+" sure")
	}
	last := command + f.Name
	if len(f.Dims) > 1 {
		last += " --dims " + strconv.Itoa(f.Dims[1])
	}
	for _, p := range f.Params {
		if p.Kind == denoise.Int && p.Ignored == nil && !p.Default.IsAuto() {
			last += fmt.Sprintf(" --%s %g", p.Name, p.Default.Float())
			break
		}
	}
	if !slices.Contains(examples, last) {
		examples = append(examples, last)
	}
	return examples
}

// FormsOf lists the dimensionalities of a filter: "2-D, 3-D".
func FormsOf(f denoise.Filter) string {
	forms := make([]string, len(f.Dims))
	for i, d := range f.Dims {
		forms[i] = strconv.Itoa(d) + "-D"
	}
	return strings.Join(forms, ", ")
}

// writeFilters lists the filters, with what each does if asked for.
func writeFilters(b *strings.Builder, described bool) {
	const about = "; \"quell help NAME\" prints the parameters of one"
	if !described {
		text := "Filters: " + strings.Join(option.FilterNames(), ", ") + about + "."
		b.WriteString("\n" + strings.Join(option.Wrapped(text, screenWidth), "\n") + "\n")
		return
	}
	b.WriteString("\nFilters" + about + ":\n")
	const column = 12
	for _, f := range denoise.AllFilters() {
		text := option.Clause(f.Help)
		if short, _, cut := strings.Cut(text, ": "); cut && len(text) > screenWidth-column {
			text = short
		}
		writeEntry(b, f.Name, text, column)
	}
}

// writeParameters lists parameters with the filters that have them.
func writeParameters(b *strings.Builder, params []*pflag.Flag) {
	column := columnOf(params)
	for _, p := range params {
		text, filters := "every filter", option.FiltersWith(p.Name)
		if len(filters) < len(denoise.AllFilters()) {
			text = strings.Join(filters, ", ")
		}
		writeEntry(b, flagName(p), text, column)
	}
}
