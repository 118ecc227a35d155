package viewing

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"quell/app/open"
	"quell/cmd/command"
	"quell/internal/clean"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// seriesInfo is one series in the JSON of quell info.
type seriesInfo struct {
	Index int `json:"index"`
	series.Meta
	Part        string           `json:"part,omitempty"`
	Component   string           `json:"component,omitempty"`
	Dims        [3]int           `json:"dims"`
	Spacing     [3]float64       `json:"spacing"` // mm
	Affine      volume.Affine    `json:"affine"`  // voxel index to LPS+ mm, three rows
	Orientation string           `json:"orientation,omitempty"`
	Slices      int              `json:"slices"`
	Bytes       int64            `json:"bytes"`
	Datatype    string           `json:"datatype,omitempty"`
	Gradient    *series.Gradient `json:"gradient,omitempty"` // of a volume of a diffusion series
	Findings    []series.Finding `json:"findings"`
	Error       string           `json:"error,omitempty"`
	Code        message.Kind     `json:"code,omitempty"` // of the error
}

// Info is quell info.
func Info() command.Command {
	c := command.Command{
		Name:  "info PATH",
		Short: "List the series under a path, and what is odd about them",
		Long: `List the series under a path: geometry, modality, transfer syntax, and findings
such as gaps, duplicates and excluded slices. Only headers are read. Series are
numbered from 1, as --series takes them.

In the JSON, series count from 0 ("index"), lengths are mm and "affine" maps a voxel index to patient
coordinates, x to the left, y to posterior, z to head (LPS+). "gradient" is the b-value of a volume of a
diffusion series in s/mm2 and its direction in the same coordinates, zero where there is none.`,
		Example: `  quell info study/
  quell info study.zip --json`,
		Inputs: command.Every,
		Pipes:  true,
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		c, err := open.Scan(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer c.Close()
		if !slices.ContainsFunc(c.Entries, func(e open.Entry) bool { return e.Err == nil }) {
			return c.Entries[c.Default].Err
		}
		return command.Print(cmd, infoOf(c), func(w io.Writer) { printInfo(w, c) })
	}
	return c
}

// infoOf is what quell info prints as JSON.
func infoOf(c *open.Catalog) any {
	out := struct {
		Path     string           `json:"path"`
		Default  int              `json:"default"` // index of the series that commands take; -1 if --component is needed
		Series   []seriesInfo     `json:"series"`
		Findings []series.Finding `json:"findings"` // about files that belong to no series
	}{c.Path, byDefault(c), nil, append([]series.Finding{}, c.Findings...)}
	for i, e := range c.Entries {
		s := seriesInfo{
			Index: i, Meta: e.Meta, Part: e.Part, Component: e.Component, Dims: e.Geometry.Dims, Spacing: e.Geometry.Spacing, Affine: e.Geometry.Affine,
			Slices: e.Slices, Bytes: e.Bytes, Datatype: e.Datatype, Findings: append([]series.Finding{}, e.Findings...),
		}
		if e.Group != nil && e.Group.Gradients != nil {
			s.Gradient = &e.Group.Gradients.Volumes[e.GroupIndex]
		}
		if e.Err != nil {
			s.Error, s.Code = e.Err.Error(), message.KindOf(e.Err)
		} else {
			s.Orientation = e.Geometry.Acquired().String()
		}
		out.Series = append(out.Series, s)
	}
	return out
}

// byDefault returns the index of the series that commands take without --series and
// --component, or -1 if they need one of them.
func byDefault(c *open.Catalog) int {
	i, err := c.Pick("")
	if err != nil {
		return -1
	}
	return i
}

func printInfo(tw io.Writer, c *open.Catalog) {
	row := func(name, format string, args ...any) {
		if text := clean.Line(fmt.Sprintf(format, args...)); text != "" {
			fmt.Fprintf(tw, "  %s\t%s\n", name, text)
		}
	}
	taken := byDefault(c)
	for i, e := range c.Entries {
		chosen := ""
		if i == taken && len(c.Entries) > 1 {
			chosen = " (taken by default)"
		}
		fmt.Fprintf(tw, "series %d%s\n", i+1, chosen)
		row("format", "%s", e.Format)
		row("modality", "%s", e.Modality)
		row("description", "%s", e.Description)
		row("part", "%s", e.Part)
		if e.Err != nil {
			row("cannot be read", "%s", e.Err)
			continue
		}
		g := e.Geometry
		row("voxels", "%s", open.DimsText(g.Dims))
		row("spacing", "%.4g x %.4g x %.4g mm", g.Spacing[0], g.Spacing[1], g.Spacing[2])
		row("slices", "%s", g.Acquired())
		row("stored as", "%s", e.Datatype)
		row("manufacturer", "%s", e.Manufacturer)
		row("body part", "%s", e.BodyPart)
		row("kernel", "%s", e.Kernel)
		row("filtered already", "%s", e.Filtered)
		row("transfer syntax", "%s", e.TransferSyntax)
		row("size", "%.1f MB", float64(e.Bytes)/1e6)
		for _, f := range e.Findings {
			row(f.Severity.String(), "%s", f.Text)
		}
	}
	for _, f := range c.Findings {
		fmt.Fprintf(tw, "%s\t%s\n", f.Severity, clean.Line(f.Text.String()))
	}
}
