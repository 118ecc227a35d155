package workbench

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/app/run"
	"quell/internal/message"
	"quell/io/dicom"
	"quell/measure"
	"quell/series"
	"quell/volume"
)

// Presentation is how a series is shown, to be saved as a DICOM presentation state that other
// viewers read (Grayscale Softcopy Presentation State).
type Presentation struct {
	Of *series.Series
	// Run, if it is not nil, is a result on Of that was exported to the folder Exported: the state
	// refers to the images there. Else it refers to the images of Of.
	Run      *run.Run
	Exported string

	View     volume.View   // of Of.Volume in its acquired plane
	Area     [2][2]int     // (column, row) of View at the top left and the bottom right of the screen
	Window   volume.Window // in the unit of Of
	Inverted bool
	Marks    []CaptionedMark // marks of other planes are left out
	Now      time.Time       // zero is the time of the call
}

// CaptionedMark is a mark with the text next to it.
type CaptionedMark struct {
	Mark
	Text string
}

// Presentable reports whether a presentation state can refer to the images of a series.
func Presentable(s *series.Series) bool { return files.FormatNamed(s.Format).Derives(s) }

// PresentationName returns the name of the next presentation state in the folder of an exported
// series.
func PresentationName(folder string) string {
	for n := 1; ; n++ {
		if name := dicom.PresentationName(n); !files.Exists(filepath.Join(folder, name)) {
			return name
		}
	}
}

// Write writes the presentation state to path, whole or not at all. A file that is there is replaced
// with overwrite only.
func (p Presentation) Write(ctx context.Context, path string, overwrite bool) error {
	if err := files.Check(files.PresentationOutput, path, overwrite, p.Of); err != nil {
		return err
	}
	state, err := p.state(ctx)
	if err != nil {
		return err
	}
	state.Number = presentationNumber(path)
	data, err := state.Encode(ctx)
	if err != nil {
		return job.Unreadable(err, path, func(name string) string { return name })
	}
	return files.Write(files.PresentationOutput, path, data, overwrite, p.Of)
}

// presentationNumber is the number in a name of PresentationName; 1 for another name.
func presentationNumber(path string) int {
	n := 0
	if _, err := fmt.Sscanf(filepath.Base(path), "PR%d.dcm", &n); err != nil || n < 1 {
		return 1
	}
	return n
}

// state returns the written state, without its number.
func (p Presentation) state(ctx context.Context) (*dicom.Presentation, error) {
	geometry, first, sources := p.Of.Volume.Geometry, 0, p.Of.Sources
	if p.Run != nil {
		var err error
		if geometry, sources, err = p.exported(ctx); err != nil {
			return nil, err
		}
		first = p.Run.Region.Min[2]
	} else if !Presentable(p.Of) {
		return nil, job.Usagef("a presentation state refers to DICOM images, and the series has none; export it as DICOM first")
	}
	if p.Now.IsZero() {
		p.Now = time.Now()
	}
	state := &dicom.Presentation{
		Sources: sources, View: p.View.Of(geometry), Area: p.Area, Window: p.Window, Inverted: p.Inverted, Version: job.Version(), Now: p.Now,
	}
	for _, m := range p.Marks {
		z := p.Of.Volume.View(m.Plane).Voxel(0, 0, m.Index)[2] - first
		if m.Plane != p.View.Plane || z < 0 || z >= len(sources) {
			continue
		}
		state.Marks = append(state.Marks, storedMark(m, z, p.Of.Volume.Geometry))
	}
	return state, nil
}

// exported returns the grid and the images of the exported run, in the order of its slices.
func (p Presentation) exported(ctx context.Context) (volume.Geometry, []series.Source, error) {
	grid := p.Of.Volume.Geometry.Crop(p.Run.Region)
	catalog, err := dicom.Scan(ctx, files.OpenFolder(p.Exported, true), nil)
	if err != nil {
		return grid, nil, job.Unreadable(err, p.Exported, func(name string) string { return filepath.Join(p.Exported, name) })
	}
	replaced := &job.InputError{Path: p.Exported, Problem: message.New(message.InputChanged, "it does not contain the result that was exported there"), Advice: message.Text("export the result again")}
	if len(catalog.Entries) != 1 || catalog.Entries[0].Err != nil {
		return grid, nil, replaced
	}
	there, sources := catalog.Entries[0].Geometry, catalog.Sources(0)
	if grid.Affine.Det() < 0 { // DICOM is written along row x column, see dicom.WriteNew
		slices.Reverse(sources)
		there.Affine.SetColumn(3, there.Affine.Apply(0, 0, float64(there.Dims[2]-1)))
		there.Affine.SetColumn(2, there.Affine.Column(2).Scale(-1))
	}
	if open.SameGrid(grid, there) != nil {
		return grid, nil, replaced
	}
	return grid, sources, nil
}

// storedMark returns a mark in pixels of slice z as it is stored.
func storedMark(m CaptionedMark, z int, g volume.Geometry) dicom.PresentationMark {
	own := g.View(m.Plane)
	stored := volume.View{Plane: m.Plane, Axis: [3]int{0, 1, 2}, Size: g.Dims}
	out := dicom.PresentationMark{Slice: z, Closed: m.Shape != measure.Line, Text: m.Text}
	for _, at := range m.Corners() {
		out.Points = append(out.Points, own.To(stored, at))
	}
	if m.Shape == measure.Ellipse {
		lo, hi := m.Bounds()
		out.Ellipse = &[2][2]float64{own.To(stored, lo), own.To(stored, hi)}
	}
	return out
}
