package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"quell/app/files"
	"quell/app/job"
	"quell/denoise"
)

// paramFlags are the flags for the parameters of all filters, derived from
// denoise.Filters.
type paramFlags map[string]*paramFlag

// paramFlag is a pflag.Value that holds a denoise.Value. Its domain is checked
// later, when the filter is known.
type paramFlag struct {
	value denoise.Value
	set   bool
	kind  string
	words []string // that some filter takes in place of a number; for suggestions
}

func (f *paramFlag) String() string {
	if !f.set {
		return ""
	}
	return f.value.String()
}

func (f *paramFlag) Set(s string) (err error) {
	s = strings.ToLower(s) // as all words and units are
	f.value, err = denoise.ParseValue(s)
	if f.set = err == nil; f.set && f.value.IsWord() && !slices.Contains(f.words, s) {
		if hint := didYouMean(s, f.words); hint != "" {
			return errors.New(hint)
		}
	}
	return err
}

func (f *paramFlag) Type() string { return f.kind }

// addParamFlags adds one flag for each parameter name; several filters may
// share one.
func addParamFlags(cmd *cobra.Command) paramFlags {
	flags := paramFlags{}
	for _, filter := range denoise.Filters() {
		for _, p := range filter.Params {
			if _, done := flags[p.Name]; done {
				continue
			}
			f := &paramFlag{kind: typeOf(p), words: wordsOf(p.Name, denoise.Filters()...)}
			flags[p.Name] = f
			flag := cmd.Flags().VarPF(f, p.Name, "", usageOf(p))
			if p.Kind == denoise.Switch {
				flag.NoOptDefVal = "true"
			}
		}
	}
	addHelpFlag(cmd)
	return flags
}

// wordsOf returns the words that some of the filters take as a parameter's value.
func wordsOf(param string, filters ...denoise.Filter) (words []string) {
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

// recipe returns the recipe that the flags describe: the recipe of the file, or the
// filter's defaults, changed by the parameters that were given.
func (flags paramFlags) recipe(file, filter string, dimensions int) (denoise.Recipe, error) {
	switch {
	case file != "":
		r, err := files.LoadRecipe(file)
		if err != nil {
			return r, err
		}
		return flags.from(r, "recipe", filter, dimensions)
	case filter == "":
		return denoise.Recipe{}, job.Usagef("which filter? Give --filter, --recipe or --preset; there are %s", strings.Join(filterNames(), ", "))
	}
	r, err := denoise.NewRecipe(filter, dimensions)
	if err != nil {
		return r, job.Usagef("%w", err)
	}
	return flags.changed(r)
}

// preset returns a preset's recipe, changed by the parameters that were given.
func (flags paramFlags) preset(name, filter string, dimensions int) (denoise.Recipe, error) {
	p, err := job.PresetByName(name)
	if err != nil {
		return denoise.Recipe{}, err
	}
	return flags.from(p.Recipe, "preset", filter, dimensions)
}

// from returns r, which came from a flag, as the other flags change it.
func (flags paramFlags) from(r denoise.Recipe, flag, filter string, dimensions int) (denoise.Recipe, error) {
	if filter != "" && filter != r.Filter {
		return r, job.Usagef("the %s is for %s, not for %s; leave --filter or --%s out", flag, r.Filter, filter, flag)
	}
	if dimensions != 0 {
		r.Dims = dimensions
	}
	return flags.changed(r)
}

// changed returns r with the parameters that were given.
func (flags paramFlags) changed(r denoise.Recipe) (denoise.Recipe, error) {
	f, err := denoise.FilterByName(r.Filter)
	if err != nil {
		return r, job.Usagef("%w", err)
	}
	given := map[string]denoise.Value{}
	for name, flag := range flags {
		if !flag.set {
			continue
		}
		if _, ok := f.Param(name); !ok {
			return r, job.Usagef("%s has no parameter --%s; it has %s", f.Name, name, paramNames(f))
		}
		given[name] = flag.value
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

func filterNames() []string {
	var names []string
	for _, f := range denoise.Filters() {
		names = append(names, f.Name)
	}
	return names
}

func paramNames(f denoise.Filter) string {
	var names []string
	for _, p := range f.Params {
		names = append(names, "--"+p.Name)
	}
	return strings.Join(names, " ")
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
