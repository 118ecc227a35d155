package app

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"quell/internal/message"
	"quell/io/atomic"
	"quell/io/dicom"
	"quell/series"
	"quell/volume"
)

// ErrForeignTarget is in the chain of the error for an output that would replace
// a file or folder that Quell did not write. With ExportOptions.Overwrite it is
// replaced.
var ErrForeignTarget = message.Errorf(message.OutputRefused, "the existing output was not written by Quell")

// CheckOutput reports why an export of s to out cannot begin: options that do not go
// together, or an output that the Gate refuses. Every export checks the same first; CheckOutput
// is for callers who want to know before hours of filtering.
func CheckOutput(s *series.Series, out string, o ExportOptions) error {
	if err := checkOptions(s, out, o); err != nil {
		return err
	}
	return Gate{Inputs: sourcesOf(s), Outputs: []Target{{"OUT", out, SeriesOutput}}, Overwrite: o.Overwrite}.Check()
}

// checkOptions refuses options of an export that do not go together.
func checkOptions(s *series.Series, out string, o ExportOptions) error {
	if out == "" {
		return Usagef("the output has no name")
	}
	if err := SeriesOutput.checkName(out); err != nil {
		return err
	}
	out = filepath.Clean(out)
	format := FormatOf(out)
	if header := headerOf(out); header != nil {
		return Usagef("%s: name the header, NAME%s, and the %s is written beside it", out, header.Endings[0], header.Voxels)
	}
	if err := checkDtype(format, o.Dtype); err != nil {
		return err
	}
	if o.compressed() && !slices.Contains(dicom.Compressions(), o.Compress) {
		return Usagef("no compression is called %q; there are %v", o.Compress, dicom.Compressions())
	}
	if o.compressed() && !format.Compresses {
		return Usagef("%s: compression is for DICOM; NIfTI is compressed where its name ends in .nii.gz", out)
	}
	if o.Deidentify {
		if err := CheckDeidentify(s, out); err != nil {
			return err
		}
	}
	return checkPositions(s, format)
}

// checkDtype refuses a data type that the format does not have.
func checkDtype(format *Format, dtype string) error {
	switch {
	case dtype == "":
		return nil
	case format.Datatypes == nil:
		return Usagef("a data type is for files of one image; DICOM keeps that of its source")
	case !slices.Contains(format.Datatypes, dtype):
		return Usagef("no data type is called %q; there are %s", dtype, strings.Join(format.Datatypes, ", "))
	}
	return nil
}

// companions returns the names beside an output that belong to it.
func companions(out string) []string {
	name := filepath.Base(out)
	return append([]string{name + recordSuffix}, FormatOf(name).Companions(name)...)
}

// besides returns the paths of the companions.
func besides(out string) []string {
	paths := companions(out)
	for i, name := range paths {
		paths[i] = filepath.Join(filepath.Dir(out), name)
	}
	return paths
}

// sourcesOf returns the files of a series, and their folders if these were read as a whole:
// what is written there would be found with the series the next time.
func sourcesOf(s *series.Series) []string {
	var paths []string
	known := map[string]bool{}
	add := func(path string) {
		if !known[path] {
			known[path] = true
			paths = append(paths, path)
		}
	}
	for _, src := range s.Sources {
		path, ok := origin(src)
		if !ok {
			continue
		}
		if f, isFolder := src.FS.(*folder); isFolder && f.whole {
			add(filepath.Dir(path))
		}
		add(path)
		for _, other := range FormatOf(path).Companions(path) {
			add(other)
		}
	}
	return paths
}

// checkExisting refuses to replace a file or folder of another kind, one that Quell did not
// write unless overwrite asks for that, and in any case a folder with what is no DICOM.
func checkExisting(out string, overwrite bool) error {
	format := FormatOf(out)
	folder := format.Folder()
	if info, err := os.Stat(out); err == nil {
		switch {
		case folder && !info.IsDir():
			return Usagef("%s is a file, and a DICOM series needs a folder; choose another name, or one that ends in .nii.gz", out)
		case !folder && info.IsDir():
			return Usagef("%s is a folder; choose a name that is free", out)
		}
	}
	if err := checkNotHome(out); err != nil {
		return err
	}
	ours := !exists(out)
	if !ours {
		var err error
		if ours, err = writtenByQuell(out); err != nil {
			return atomic.WriteError(out, err)
		}
	}
	if folder && !ours {
		if err := checkFolder(out); err != nil {
			return err
		}
	}
	switch {
	case overwrite:
		return nil
	case !ours:
		return foreign(out)
	}
	if record := out + recordSuffix; exists(record) && !isRecord(record) {
		return foreign(record)
	}
	// The voxels of a pair are replaced together with its header.
	for _, image := range format.Files(out)[1:] {
		if exists(image) && !exists(out) {
			return foreign(image)
		}
	}
	if format.Foreign != nil {
		if other := format.Foreign(out); other != "" {
			return foreign(other)
		}
	}
	return nil
}

// checkFolder refuses to replace a folder that holds anything but files of DICOM and, for the
// volumes of a 4-D series, folders of Quell's.
func checkFolder(out string) error {
	other, err := dicom.Foreign(out, func(name string) bool { return isRecordInside(out, name) || isDICOM(filepath.Join(out, name)) })
	switch {
	case err != nil:
		return atomic.WriteError(out, err)
	case other != "":
		return Usagef("%s holds %s, which is not DICOM and would be lost; move it away, or choose another name", out, other)
	}
	return nil
}

// isRecordInside reports whether a file of that name is the record in a folder.
func isRecordInside(out, name string) bool {
	return name == insideRecord && isRecord(filepath.Join(out, name))
}

// isDICOM reports whether a file holds DICOM, compressed by gzip or not.
func isDICOM(path string) bool {
	head, inner, err := headsOf(path)
	return err == nil && (dicom.Sniff(head) || dicom.Sniff(inner))
}

// writtenByQuell reports whether an existing output is one of Quell's.
func writtenByQuell(out string) (bool, error) {
	return FormatOf(out).Ours(out, func(name string) bool { return isRecordInside(out, name) })
}

// foreign is the error for what exists at path.
func foreign(path string) error {
	return &UsageError{
		Text: message.New(message.OutputRefused, "%s exists and Quell did not write it; choose another name, or replace it with --overwrite", path),
		Err:  ErrForeignTarget,
	}
}

// checkNotHome refuses to replace the user's home folder or the current one: a
// shell would go on in a folder that is gone.
func checkNotHome(out string) error {
	home, _ := os.UserHomeDir()
	here, _ := os.Getwd()
	for dir, what := range map[string]message.Message{home: message.Text("your home folder"), here: message.Text("the current folder")} {
		if dir != "" && isInside(dir, out) {
			return Usagef("%s is or holds %s, which is never replaced; name a folder in it", out, what)
		}
	}
	return nil
}

// isRecord reports whether a file is the record of an output.
func isRecord(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxRecipe {
		return false
	}
	data, err := os.ReadFile(path)
	var fields map[string]json.RawMessage
	return err == nil && json.Unmarshal(data, &fields) == nil && fields["quell"] != nil
}

// outputSize returns how many bytes an output takes at least; 0 for a compressed
// one, of which that is not known before.
func outputSize(s *series.Series, region volume.Region, out string, o ExportOptions) int64 {
	switch f := FormatOf(out); {
	case o.compressed() || strings.HasSuffix(strings.ToLower(out), ".gz"):
		return 0
	case !f.Identity || !dicom.Derivable(s):
		return int64(region.Voxels()) * int64(f.Stored(o.Dtype))
	}
	// A derived file is as large as its source, or larger where that is compressed.
	size := int64(0)
	counted := map[string]bool{}
	for _, src := range s.Sources[region.Min[2]:region.Max[2]] {
		if info, err := fs.Stat(src.FS, src.Name); err == nil && !counted[src.Name] {
			counted[src.Name] = true
			size += info.Size()
		}
	}
	return size
}
