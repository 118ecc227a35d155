package dicom

import (
	"context"
	"os"
	"slices"

	"quell/io/dicom/deid"
	"quell/io/dicom/object"
	"quell/io/dicom/parametric"
	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// about holds the properties of a written volume that are kept.
type about struct {
	grid      volume.Geometry
	series    string          // UID of the source; "" without one
	sources   []series.Source // of the slices; nil without a DICOM source
	backwards bool            // its files run against the slices
}

// Written is a series that a Writer wrote, for objects that refer to it. De-identified images have their pseudonyms
// here, and so have their sources.
type Written struct {
	// Header holds parametric.Tags of the first image.
	Header  part10.Attributes
	Volumes []WrittenVolume
}

// WrittenVolume is a volume of a Written: for each slice, in the order of its grid, the place of its first voxel in
// LPS+ mm, its image and the one that this was made of. Source is empty without a DICOM source.
type WrittenVolume struct {
	Grid           volume.Geometry
	Positions      []volume.Vec
	Result, Source object.Images
}

// Written returns what was written. It is called after Close, and reads the headers of the files.
func (w *Writer) Written(ctx context.Context) (out Written, err error) {
	fsys := os.DirFS(w.dir)
	files := make([]object.Reference, len(w.files))
	framed := make([]bool, len(w.files)) // its frames have numbers
	for k := range files {
		if err := ctx.Err(); err != nil {
			return Written{}, err
		}
		a, p, err := part10.ReadHeader(fsys, sliceName(k), func(t part10.Tag) bool {
			return t == part10.TagSOPClassUID || t == part10.TagSOPInstanceUID || t == part10.TagNumberOfFrames || k == 0 && slices.Contains(parametric.Tags, t)
		})
		if err != nil {
			return Written{}, err
		}
		p.Release()
		files[k] = object.Reference{Class: a.Text(part10.TagSOPClassUID), UID: a.Text(part10.TagSOPInstanceUID)}
		n, _ := a.Integer(part10.TagNumberOfFrames)
		framed[k] = n > 1 || part10.FunctionalGroups[files[k].Class]
		if k == 0 {
			out.Header = a
		}
	}
	names := deid.Pseudonyms{Secret: w.options.Secret}
	own := func(uid string) string {
		if w.options.Deidentify {
			return string(names.UID([]byte(uid)))
		}
		return uid
	}
	first := 0
	for i, about := range w.about {
		v := WrittenVolume{Grid: about.grid}
		v.Result.SeriesUID, v.Source.SeriesUID = w.report.SeriesUID, own(about.series)
		for z, s := range w.slices[first:w.ends[i]] {
			reference := files[s.file]
			if framed[s.file] {
				reference.Frame = s.frame + 1
			}
			v.Positions, v.Result.Slices = append(v.Positions, s.position), append(v.Result.Slices, reference)
			if about.sources != nil {
				source := object.Reference{Class: reference.Class, UID: own(about.sources[z].UID)}
				if framed[s.file] {
					source.Frame = about.sources[z].Frame + 1
				}
				v.Source.Slices = append(v.Source.Slices, source)
			}
		}
		if about.backwards {
			slices.Reverse(v.Positions)
			slices.Reverse(v.Result.Slices)
		}
		out.Volumes = append(out.Volumes, v)
		first = w.ends[i]
	}
	return out, nil
}
