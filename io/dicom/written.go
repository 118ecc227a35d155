package dicom

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"quell/io/atomic"
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

// sliceName names the file of slice z, counted from 0 along the slice normal.
func sliceName(z int) string { return fmt.Sprintf("IM%05d.dcm", z+1) }

// PresentationName names the file of the n-th presentation state of an exported series, counted
// from 1, in the folder of that.
func PresentationName(n int) string { return fmt.Sprintf("PR%05d.dcm", n) }

// IsPresentation says whether a file of an exported series has the name of a presentation state.
func IsPresentation(name string) bool {
	return strings.HasPrefix(name, "PR") && exportedPattern.MatchString(name)
}

// MapName names the file of the n-th parametric map of an exported series, counted from 1, in the folder of that.
func MapName(n int) string { return fmt.Sprintf("PM%05d.dcm", n) }

// ReportName names the file of the n-th measurement report of an exported series, counted from 1, in the folder of that.
func ReportName(n int) string { return fmt.Sprintf("SR%05d.dcm", n) }

// exportedPattern is of the files of a series that Quell exported, and of the objects about it.
var exportedPattern = regexp.MustCompile(`^(IM|PR|PM|SR)\d{5,}\.dcm$`)

// fileManagerFiles are what file managers leave in folders that they show.
var fileManagerFiles = []string{".DS_Store", "Thumbs.db", "desktop.ini", ".directory"}

// volumePattern is of the folders of an earlier output of several volumes, which had one for each.
var volumePattern = regexp.MustCompile(`^\d{3,}(-[a-z0-9.]+)*$`)

// Foreign returns the name of the first entry of the folder dir, with slashes, that a Writer
// did not make; "" for none. Its outputs are series with the objects about them, also in
// folders for the volumes of a 4-D series. Not counted are files of file managers, what stays
// when a folder is written into (atomic.Kept), and files directly in dir for which known is true.
func Foreign(dir string, known func(name string) bool) (string, error) {
	return foreign(dir, known, true)
}

func foreign(dir string, known func(name string) bool, volumes bool) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case e.IsDir() && atomic.Kept(name):
		case e.IsDir() && volumes && volumePattern.MatchString(name):
			inner, err := foreign(filepath.Join(dir, name), func(string) bool { return false }, false)
			if inner != "" || err != nil {
				return path.Join(name, inner), err
			}
		case !e.Type().IsRegular():
			return name, nil
		case slices.Contains(fileManagerFiles, name) || strings.HasPrefix(name, "._"): // macOS, on network shares
		case exportedPattern.MatchString(name) && writtenByQuell(filepath.Join(dir, name)):
		case !known(name):
			return name, nil
		}
	}
	return "", nil
}

// writtenByQuell reports whether the meta header of a file names this writer.
func writtenByQuell(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	return part10.WriterOf(f, info.Size()) == part10.ImplementationClassUID
}
