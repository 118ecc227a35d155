package raster

import (
	"context"
	"fmt"
	"image"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// Scan is Scan of a [format.Format]: an entry for every volume of one file and, if voxels have several components, for
// every component of it.
func (open Opener) Scan(_ context.Context, fsys fs.FS, names []string) (*format.Found, error) {
	info, err := open.ReadHeader(fsys, names[0])
	if err != nil {
		return nil, err
	}
	components := info.Components
	if len(components) == 0 {
		components = []Component{""}
	}
	found := &format.Found{}
	for _, component := range components {
		from, group := &source{open, fsys, names[0], component, info}, info.group()
		for t := range info.Volumes {
			var part []string
			if component != "" {
				part = append(part, string(component))
			}
			if info.Volumes > 1 {
				part = append(part, fmt.Sprintf("volume %d of %d", t+1, info.Volumes))
			}
			found.Entries = append(found.Entries, format.Entry{
				Meta: info.Meta, Part: strings.Join(part, ", "), Component: string(component), Group: group, GroupIndex: t, Geometry: info.Geometry,
				Slices: info.Geometry.Dims[2], Bytes: info.Bytes / int64(info.Volumes), Datatype: info.Datatype, Findings: info.Findings, Volume: entry{from, t},
			})
		}
	}
	return found, nil
}

// group returns the 4-D series of the volumes of a file, in time if the header says so, else along their numbers; nil
// for one volume.
func (info Info) group() *series.Group {
	if info.Volumes < 2 {
		return nil
	}
	g := &series.Group{Step: info.Step, Gradients: info.Gradients}
	for t := range info.Volumes {
		c := series.Coordinate{Axis: "volume", Value: strconv.Itoa(t + 1)}
		switch {
		case info.Gradients != nil:
			c = series.Coordinate{Axis: "b-value", Value: strconv.FormatFloat(info.Gradients.Volumes[t].B, 'g', 6, 64), Unit: "s/mm2"}
		case info.Step > 0:
			c = series.Coordinate{Axis: "time", Value: strconv.FormatFloat(info.Start+float64(t)*info.Step, 'g', 6, 64), Unit: "s"}
		}
		g.Places = append(g.Places, series.Place{c})
	}
	return g
}

// source is a component of the voxels of a file.
type source struct {
	open      Opener
	fsys      fs.FS
	name      string
	component Component
	info      Info
}

// entry is a volume of a file as a [format.Volume].
type entry struct {
	*source
	t int
}

// kept is the file of volumes that are read one after another.
type kept struct {
	*Sequence
	of *source
}

// Files implements format.Volume.
func (e entry) Files() []string { return e.info.Files }

// Identity implements format.Volume.
func (entry) Identity() string { return "" }

// Attribute implements format.Volume.
func (entry) Attribute(context.Context, string) ([]string, error) { return nil, nil }

// Load implements format.Volume.
func (e entry) Load(ctx context.Context, r *format.Reading) (*series.Series, error) {
	file, ok := r.Kept.(kept)
	if !ok || file.of != e.source {
		r.Close()
		file = kept{e.open.NewSequence(e.fsys, e.name, e.component), e.source}
		r.Kept = file
	}
	n := e.info.Geometry.Dims[2]
	if r.Show != nil && !e.info.Direct {
		file.Progress, file.Arrived = nil, func(z int, slice *volume.Volume) { r.Show(z+1, n, slice) }
		return file.Read(ctx, e.t)
	}
	file.Progress, file.Arrived = r.Progress, nil
	s, err := file.Read(ctx, e.t)
	if err == nil && r.Progress != nil {
		r.Progress(n, n)
	}
	return s, err
}

// OpenSlices implements format.Volume.
func (e entry) OpenSlices(ctx context.Context) (series.Slices, error) {
	r, err := e.open.OpenSlices(ctx, e.fsys, e.name, e.t, e.component)
	if err != nil {
		return nil, err // no *Slices that is nil
	}
	return r, nil
}

// Thumbnail implements format.Volume.
func (e entry) Thumbnail(ctx context.Context, side int) (*image.Gray, error) {
	if !e.info.Direct {
		return nil, nil
	}
	slice, err := e.open.ReadSlice(ctx, e.fsys, e.name, e.t, e.component, e.info.Geometry.Dims[2]/2)
	if err != nil {
		return nil, err
	}
	return (&series.Series{Meta: e.info.Meta, Volume: slice}).Thumbnail(side), nil
}

// FileFormat returns a format of single files that keep geometry, data type and description, and hold volumes on one
// grid, which open opens. inputs are as in [format.Format]; the ending of the first output is proposed. describe returns the
// description in a file.
func FileFormat(name string, inputs [][2]string, sniff func(head []byte, name string) bool, open Opener, m Maker,
	describe func(fsys fs.FS, name string) (string, error)) format.Format {
	f := format.Format{
		Name: name, Inputs: inputs, Proposed: inputs[0][1], Frames: true, Streams: true, Datatypes: Datatypes(), Sniff: sniff, Scan: open.Scan,
		NewWriter: func(path string, o format.Options) format.Writer { return m.NewWriter(path, o) },
		Stored:    BytesPerVoxel, Waiting: waiting,
		// The description, unlike a record next to the file, is written by conversions too and stays with a
		// file that is moved.
		Ours: func(path string, _ func(name string) bool) (bool, error) {
			description, err := describe(HostFolder(filepath.Dir(path)), filepath.Base(path))
			return err == nil && strings.Contains(description+" ", "Quell "), nil // a long one is cut off after a word
		},
	}
	for _, in := range inputs {
		if !slices.Contains(f.Endings, in[1]) {
			f.Endings = append(f.Endings, in[1])
		}
	}
	return f
}

// waiting is Format.Waiting: values of an integer type wait for all.
func waiting(dtype string) int {
	if d, err := DatatypeByName(dtype); err != nil || !d.Integer() {
		return 0
	}
	return 4
}
