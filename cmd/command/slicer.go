package command

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"quell/app/job"
	"quell/cmd/option"
	"quell/denoise"
	"quell/series"
)

// The types below are a description of a module by the Slicer Execution Model, from which 3D Slicer makes a panel. The
// order of the members is that of its schema.
type semModule struct {
	XMLName       xml.Name   `xml:"executable"`
	Category      string     `xml:"category"`
	Title         string     `xml:"title"`
	Description   string     `xml:"description"`
	Version       string     `xml:"version"`
	Documentation string     `xml:"documentation-url"`
	License       string     `xml:"license"`
	Contributor   string     `xml:"contributor"`
	Groups        []semGroup `xml:"parameters"`
}

type semGroup struct {
	Label       string `xml:"label"`
	Description string `xml:"description"`
	Parameters  []semParameter
}

// semParameter is an element whose name is the type of its values.
type semParameter struct {
	XMLName     xml.Name
	Type        string       `xml:"type,attr,omitempty"`
	Extensions  string       `xml:"fileExtensions,attr,omitempty"`
	Name        string       `xml:"name"`
	Label       string       `xml:"label"`
	Description string       `xml:"description"`
	Flag        string       `xml:"longflag,omitempty"`
	Channel     string       `xml:"channel,omitempty"`
	Index       *int         `xml:"index,omitempty"`
	Default     string       `xml:"default,omitempty"`
	Elements    []string     `xml:"element,omitempty"`
	Constraints *semInterval `xml:"constraints,omitempty"`
}

type semInterval struct {
	Minimum float64 `xml:"minimum"`
	Maximum float64 `xml:"maximum"`
	Step    float64 `xml:"step"`
}

// Module is the description of a command to 3D Slicer, which has more beside its input and its output if it takes presets.
type Module struct {
	Title, Help   string
	Output, About string // the output, and what it is
	Presets       bool
}

// modules returns the descriptions of commands by their names.
func (l *line) modules() map[string]*Module {
	all := map[string]*Module{}
	for cmd, c := range l.of {
		if c.Module != nil {
			all[cmd.Name()] = c.Module
		}
	}
	return all
}

// moduleNames are what --xml describes: commands, and every filter with its parameters.
func (l *line) moduleNames() []string {
	return append(slices.Sorted(maps.Keys(l.modules())), option.FilterNames()...)
}

// writeModule writes the description of a module.
func (l *line) writeModule(w io.Writer, name string) error {
	var groups []semGroup
	m := l.modules()[name]
	if f, err := denoise.FilterByName(name); m == nil && err == nil {
		m = &Module{Title: "Quell " + f.Title, Help: f.Help, Output: "Output volume", About: "The volume without noise."}
		groups = filterGroups(f)
	} else if m == nil {
		return job.Usagef("--xml %s: %w", name, option.Unknown("module", name, l.moduleNames()))
	} else if m.Presets {
		groups = []semGroup{presetGroup()}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(semModule{
		Category: "Filtering.Denoising", Title: m.Title, Description: m.Help + " Not for clinical use.", Version: job.Version(),
		License: "Apache-2.0", Contributor: "Quell", Groups: append([]semGroup{m.images()}, groups...),
	}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// images are the input and the output, by their places on the command line: the schema has no flags for images.
func (m *Module) images() semGroup {
	first, second := 0, 1
	image := semParameter{XMLName: xml.Name{Local: "image"}, Type: "scalar", Extensions: ".nrrd,.nii,.nii.gz"}
	in, out := image, image
	in.Name, in.Label, in.Description, in.Channel, in.Index = "input", "Input volume", "The volume that is read.", "input", &first
	out.Name, out.Label, out.Description, out.Channel, out.Index = "output", m.Output, m.About, "output", &second
	return semGroup{Label: "Volumes", Description: "What is read and written", Parameters: []semParameter{in, out}}
}

func presetGroup() semGroup {
	names := option.PresetNames()
	p := semParameter{
		XMLName: xml.Name{Local: "string-enumeration"}, Name: "preset", Label: "Preset", Description: "A recipe for a modality and an anatomy.",
		Flag: "--preset", Default: names[0], Elements: names,
	}
	strength, _ := denoise.Filters()[0].Param("strength") // of every filter
	return semGroup{Label: "Recipe", Description: "How it is filtered", Parameters: []semParameter{p, semOf(strength)}}
}

// filterGroups are the parameters that most people change, and the others.
func filterGroups(f denoise.Filter) []semGroup {
	dims := semParameter{
		XMLName: xml.Name{Local: "string-enumeration"}, Name: "dims", Label: "Dimensions", Description: "Slice by slice, as a volume, or as suits the series.",
		Flag: "--dims", Default: strconv.Itoa(f.Dims[0]),
	}
	for _, d := range f.Dims {
		dims.Elements = append(dims.Elements, strconv.Itoa(d))
	}
	if len(f.Dims) > 1 {
		dims.Default, dims.Elements = option.AutoDims, append(dims.Elements, option.AutoDims)
	}
	basic := semGroup{Label: "Parameters", Description: f.Title, Parameters: []semParameter{dims}}
	more := semGroup{Label: "More parameters", Description: f.Title + ", for those who know it"}
	for _, p := range f.Params {
		if p.Basic {
			basic.Parameters = append(basic.Parameters, semOf(p))
		} else {
			more.Parameters = append(more.Parameters, semOf(p))
		}
	}
	if more.Parameters == nil {
		return []semGroup{basic}
	}
	return []semGroup{basic, more}
}

// semOf describes a parameter. One that takes words and numbers is a text, as the model knows no mixture; a switch that
// is off leaves the parameter at its default.
func semOf(p denoise.Param) semParameter {
	s := semParameter{
		Name: strings.ReplaceAll(p.Name, "-", ""), Label: p.Label, Flag: "--" + p.Name, Default: p.Default.String(),
		Description: p.Help + " " + sentence(option.DomainOf(p, false)),
	}
	kind := "string"
	switch {
	case p.Kind == denoise.Choice:
		kind, s.Elements = "string-enumeration", slices.Clone(p.Choices)
		if p.Auto != nil {
			s.Elements = append(s.Elements, "auto")
		}
	case p.Kind == denoise.Switch:
		kind, s.Default = "boolean", "false"
	case p.Kind == denoise.Ints || p.Auto != nil || p.Percent || p.Mixes || p.Max >= denoise.Largest:
	case p.Kind == denoise.Int:
		kind, s.Constraints = "integer", &semInterval{p.Min, p.Max, p.Step}
	default:
		kind, s.Constraints = "double", &semInterval{p.Min, p.Max, p.Step}
	}
	s.XMLName.Local = kind
	return s
}

// AddSlicer adds --for-slicer.
func AddSlicer(flags *pflag.FlagSet, slicer *bool) {
	flags.BoolVar(slicer, "for-slicer", false, "for a module of 3D Slicer, which gives every parameter: those at their default count as not given, and progress is printed in its form")
}

// SlicerEvents prints progress as 3D Slicer reads it, by steps of a hundredth.
func SlicerEvents(cmd *cobra.Command) job.Events {
	w, last := cmd.OutOrStdout(), -1
	return job.Events{
		Message: func(severity series.Severity, text string) {
			if severity > series.Note {
				Warn(cmd, "%s: %s", severity, text)
			}
		},
		Progress: func(step job.Step, done, total int64) {
			if step != job.Filtering || total <= 0 {
				return
			}
			if share := int(100 * done / total); share != last {
				last = share
				fmt.Fprintf(w, "<filter-progress>%.2f</filter-progress>\n", float64(share)/100)
			}
		},
	}
}
