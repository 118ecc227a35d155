package option

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"quell/app/files"
	"quell/app/job"
	"quell/denoise"
)

// Params are the flags for the parameters of all filters, derived from
// denoise.Filters.
type Params map[string]*Param

// Param is a pflag.Value that holds a denoise.Value. Its domain is checked
// later, when the filter is known.
type Param struct {
	Value denoise.Value
	Given bool
	kind  string
	words []string // that some filter takes in place of a number; for suggestions
}

func (f *Param) String() string {
	if !f.Given {
		return ""
	}
	return f.Value.String()
}

// Set implements pflag.Value.
func (f *Param) Set(s string) (err error) {
	s = strings.ToLower(s) // as all words and units are
	f.Value, err = denoise.ParseValue(s)
	if f.Given = err == nil; f.Given && f.Value.IsWord() && !slices.Contains(f.words, s) {
		if hint := DidYouMean(s, f.words); hint != "" {
			return errors.New(hint)
		}
	}
	return err
}

// Type implements pflag.Value.
func (f *Param) Type() string { return f.kind }

// AddParams adds one flag for each parameter name; several filters may
// share one.
func AddParams(cmd *cobra.Command) Params {
	flags := Params{}
	for _, filter := range denoise.AllFilters() {
		for _, p := range filter.Params {
			if _, done := flags[p.Name]; done {
				continue
			}
			f := &Param{kind: TypeOf(p), words: WordsOf(p.Name, denoise.AllFilters()...)}
			flags[p.Name] = f
			flag := cmd.Flags().VarPF(f, p.Name, "", p.Help)
			if p.Kind == denoise.Switch {
				flag.NoOptDefVal = "true"
			}
		}
	}
	addHelpFlag(cmd)
	return flags
}

// WordsOf returns the words that some of the filters take as a parameter's value.
func WordsOf(param string, filters ...denoise.Filter) (words []string) {
	add := func(more ...string) {
		for _, word := range more {
			if !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	for _, f := range filters {
		p, ok := f.Param(param)
		if !ok {
			continue
		}
		add(p.Choices...)
		for _, r := range p.Rules {
			add(r.Name)
		}
		if p.Kind == denoise.Switch {
			add("true", "false")
		}
		if p.Auto != nil {
			add("auto")
		}
		if f.Strength.Param == param {
			add("sure")
		}
		if p.Mixes {
			add("visible")
		}
	}
	return words
}

// Recipe returns the recipe that the flags describe: the recipe of the file, or the
// filter's defaults, changed by the parameters that were given.
func (flags Params) Recipe(file, filter string, dimensions int) (denoise.Recipe, error) {
	switch {
	case file != "":
		r, err := files.LoadRecipe(file)
		if err != nil {
			return r, err
		}
		return flags.from(r, "recipe", filter, dimensions)
	case filter == "":
		return denoise.Recipe{}, job.Usagef("which filter? Give --filter, --recipe or --preset; there are %s", strings.Join(FilterNames(), ", "))
	}
	r, err := denoise.NewRecipe(filter, dimensions)
	if err != nil {
		return r, job.Usagef("%w", err)
	}
	return flags.changed(r)
}

// preset returns a preset's recipe, changed by the parameters that were given.
func (flags Params) preset(name, filter string, dimensions int) (denoise.Recipe, error) {
	p, err := job.PresetByName(name)
	if err != nil {
		return denoise.Recipe{}, err
	}
	return flags.from(p.Recipe, "preset", filter, dimensions)
}

// from returns r, which came from a flag, as the other flags change it.
func (flags Params) from(r denoise.Recipe, flag, filter string, dimensions int) (denoise.Recipe, error) {
	if filter != "" && filter != r.Filter {
		return r, job.Usagef("the %s is for %s, not for %s; leave --filter or --%s out", flag, r.Filter, filter, flag)
	}
	if dimensions != 0 {
		r.Dims = dimensions
	}
	return flags.changed(r)
}

// changed returns r with the parameters that were given.
func (flags Params) changed(r denoise.Recipe) (denoise.Recipe, error) {
	f, err := denoise.FilterByName(r.Filter)
	if err != nil {
		return r, job.Usagef("%w", err)
	}
	given := map[string]denoise.Value{}
	for name, flag := range flags {
		if !flag.Given {
			continue
		}
		if _, ok := f.Param(name); !ok {
			return r, job.Usagef("%s has no parameter --%s, which belongs to %s; see quell help %s", f.Name, name, strings.Join(FiltersWith(name), ", "), f.Name)
		}
		given[name] = flag.Value
	}
	r = r.SetAll(given)
	for name := range given {
		if why := r.Ignores(name); !why.IsZero() {
			return r, job.Usagef("--%s", why)
		}
	}
	if err := r.Validate(); err != nil {
		return r, job.Usagef("%w", err)
	}
	return r, nil
}

// FilterNames are the names of the filters.
func FilterNames() []string {
	var names []string
	for _, f := range denoise.AllFilters() {
		names = append(names, f.Name)
	}
	return names
}

// FiltersWith are the names of the filters that have a parameter.
func FiltersWith(param string) []string {
	var names []string
	for _, f := range denoise.AllFilters() {
		if _, has := f.Param(param); has {
			names = append(names, f.Name)
		}
	}
	return names
}

// helpFlag is --help of a command that has the parameter --h. Cobra's own takes -h=0 and -h=1 for
// false and true.
type helpFlag bool

func (f *helpFlag) String() string { return strconv.FormatBool(bool(*f)) }

func (f *helpFlag) Type() string { return "bool" }

func (f *helpFlag) Set(s string) error {
	if *f = s == "true"; !*f {
		return errors.New("it takes no value")
	}
	return nil
}

func addHelpFlag(cmd *cobra.Command) {
	cmd.Flags().VarPF(new(helpFlag), "help", "h", "help for "+cmd.Name()).NoOptDefVal = "true"
}

// WithoutDefaults forgets parameters that are at the default of the filter.
func (flags Params) WithoutDefaults(filter string) {
	f, err := denoise.FilterByName(filter)
	for name, flag := range flags {
		if p, ok := f.Param(name); err == nil && ok && flag.Given && flag.Value.String() == p.Default.String() {
			flag.Given = false
		}
		// A preset has strengths of its own, but a share of 100 % is that of every recipe.
		if err != nil && name == "strength" && flag.Given && flag.Value.String() == "100" {
			flag.Given = false
		}
	}
}

// TypeOf is how help names the value of a parameter.
func TypeOf(p denoise.Param) string {
	switch p.Kind {
	case denoise.Int:
		return "n"
	case denoise.Choice:
		return "word"
	case denoise.Switch:
		return ""
	case denoise.Ints:
		return "n,n,..."
	}
	return "x"
}

// DomainOf is what a parameter takes, in words; strength says that it is the strength of its filter.
func DomainOf(p denoise.Param, strength bool) string {
	var b strings.Builder
	switch p.Kind {
	case denoise.Choice:
		b.WriteString(strings.Join(p.Choices, " or "))
		if p.Auto != nil {
			b.WriteString(" or auto")
		}
	case denoise.Switch:
		b.WriteString("true or false")
	default:
		b.WriteString(p.Domain().String())
		switch p.Unit {
		case "":
		case "value":
			b.WriteString(" in the volume's unit, or in sigmas of its noise (1.2sigma)")
		default:
			b.WriteString(" " + p.Unit)
		}
		if p.Percent {
			b.WriteString(" or 0% to 100% of its range")
		}
		for _, r := range p.Rules {
			b.WriteString(" or " + r.Name)
		}
		if p.Auto != nil {
			b.WriteString(" or auto")
		}
		if strength {
			b.WriteString(" or sure")
		}
		if p.Mixes {
			b.WriteString(" or visible")
		}
	}
	fmt.Fprintf(&b, ", default %s", p.Default)
	return b.String()
}
