package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"quell/io/atomic"
	"quell/io/dicom"
	"quell/io/nifti"
	"quell/series"
	"quell/volume"
)

// ErrForeignTarget is in the chain of the error for an output that would replace
// a file or folder that Quell did not write. With ExportOptions.Overwrite it is
// replaced.
var ErrForeignTarget = errors.New("the existing output was not written by Quell")

// CheckOutput reports why an export of s to out cannot begin: options that do not go
// together, an output that cannot be written, that is the input, or that would
// replace what Quell did not write. Export checks the same first; CheckOutput is for
// callers who want to know before hours of filtering.
func CheckOutput(s *series.Series, out string, o ExportOptions) error {
	if out == "" {
		return Usagef("the output has no name")
	}
	out = filepath.Clean(out)
	format := FormatOf(out)
	if strings.HasSuffix(strings.ToLower(out), ".img") {
		return Usagef("%s: name the header, NAME.hdr, and the .img is written beside it", out)
	}
	if err := checkDtype(format, o.Dtype); err != nil {
		return err
	}
	if o.compressed() && !slices.Contains(dicom.Compressions(), o.Compress) {
		return Usagef("no compression is called %q; there are %v", o.Compress, dicom.Compressions())
	}
	if o.compressed() && format != DICOM {
		return Usagef("%s: compression is for DICOM; NIfTI is compressed where its name ends in .nii.gz", out)
	}
	if o.Deidentify {
		if err := CheckDeidentify(s, out); err != nil {
			return err
		}
	}
	if err := checkPositions(s, format); err != nil {
		return err
	}
	return checkTarget(s, out, o)
}

// checkDtype refuses a data type that the format does not have.
func checkDtype(format Format, dtype string) error {
	switch {
	case dtype == "":
		return nil
	case format == DICOM:
		return Usagef("a data type is for NIfTI and Analyze; DICOM keeps that of its source")
	case !slices.Contains(nifti.Datatypes(), dtype):
		return Usagef("no data type is called %q; there are %s", dtype, strings.Join(nifti.Datatypes(), ", "))
	}
	return nil
}

// companions returns the names beside an output that belong to it.
func companions(out string) []string {
	name := filepath.Base(out)
	names := []string{name + recordSuffix}
	if image := nifti.ImagePath(name); image != name {
		names = append(names, image)
	}
	return names
}

// checkTarget refuses an output that cannot be written, that would touch the
// input of s, or that would replace what Quell did not write.
func checkTarget(s *series.Series, out string, o ExportOptions) error {
	if err := checkSource(s, out); err != nil {
		return err
	}
	if err := checkExisting(out, o); err != nil {
		return err
	}
	err := atomic.Check(out, FormatOf(out) == DICOM, companions(out)...)
	var number syscall.Errno
	if errors.As(err, &number) && number != syscall.ENAMETOOLONG && number != syscall.ENOTDIR && number != syscall.EXDEV {
		return err // the name is right, the place is not
	}
	if err != nil {
		return &UsageError{Text: err.Error(), Err: err}
	}
	return nil
}

// checkSource refuses an output that is or holds a file of the series, or that
// lies in the folder that the series was found in.
func checkSource(s *series.Series, out string) error {
	folders := map[string]bool{} // of the sources, each looked at once
	for _, src := range s.Sources {
		source, ok := origin(src)
		if !ok {
			continue
		}
		if FormatOf(out) != DICOM {
			for _, name := range append(companions(out), filepath.Base(out)) {
				if sameFile(filepath.Join(filepath.Dir(out), name), source) {
					return Usagef("%s is the input itself, which is never written to; choose another name", out)
				}
			}
			continue
		}
		if sameFile(out, source) {
			return Usagef("%s is the input itself, which is never written to; choose another name", out)
		}
		dir := filepath.Dir(source)
		if folders[dir] {
			continue
		}
		folders[dir] = true
		if isInside(dir, out) {
			return Usagef("%s holds the input, which is never written to; choose a folder of its own", out)
		}
		// A series inside the folder it came from would be found with it the
		// next time the folder is opened.
		if f, isFolder := src.FS.(*folder); isFolder && f.whole && isInside(out, dir) {
			return Usagef("%s lies inside the input's folder; choose a folder beside it", out)
		}
	}
	return nil
}

// sameFile reports whether two paths lead to one file, by whatever names.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// isInside reports whether path is dir or lies below it, by whatever names. path
// may not exist.
func isInside(path, dir string) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	for path = realPath(path); ; path = filepath.Dir(path) {
		if above, err := os.Stat(path); err == nil && os.SameFile(above, info) {
			return true
		}
		if path == filepath.Dir(path) {
			return false
		}
	}
}

// realPath is absolute and free of links as far as the path exists.
func realPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	if resolved, err := filepath.EvalSymlinks(abs); err == nil {
		return resolved
	}
	parent := filepath.Dir(abs)
	if parent == abs {
		return abs
	}
	return filepath.Join(realPath(parent), filepath.Base(abs))
}

// checkExisting refuses to replace a file or folder of another kind, and one that
// Quell did not write unless o asks for that.
func checkExisting(out string, o ExportOptions) error {
	if info, err := os.Stat(out); err == nil {
		switch folder := FormatOf(out) == DICOM; {
		case folder && !info.IsDir():
			return Usagef("%s is a file, and a DICOM series needs a folder; choose another name, or one that ends in .nii.gz", out)
		case !folder && info.IsDir():
			return Usagef("%s is a folder; choose a name that is free", out)
		}
	}
	if err := checkNotHome(out); err != nil || o.Overwrite {
		return err
	}
	if exists(out) {
		ours, err := writtenByQuell(out)
		if err != nil {
			return atomic.WriteError(out, err)
		}
		if !ours {
			return foreign(out)
		}
	}
	if record := out + recordSuffix; exists(record) && !isRecord(record) {
		return foreign(record)
	}
	// The voxels of a pair are replaced together with its header.
	if image := nifti.ImagePath(out); exists(image) && !exists(out) {
		return foreign(image)
	}
	return nil
}

// exists reports whether path names anything, a broken link too.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// writtenByQuell reports whether an existing output is one of Quell's: a folder
// where every file is one of its own, whatever file managers left there, or a NIfTI
// or Analyze file whose description says so. The description, unlike the record
// beside the file, is written by conversions too and stays with a file that is
// moved.
func writtenByQuell(out string) (bool, error) {
	if FormatOf(out) == DICOM {
		return dicom.MayReplace(out)
	}
	description, err := nifti.Description(openFolder(filepath.Dir(out), false), filepath.Base(out))
	return err == nil && strings.Contains(description, "Quell "), nil
}

// foreign is the error for what exists at path.
func foreign(path string) error {
	return &UsageError{
		Text: fmt.Sprintf("%s exists and Quell did not write it; choose another name, or replace it with --overwrite", path),
		Err:  ErrForeignTarget,
	}
}

// checkNotHome refuses to replace the user's home folder or the current one: a
// shell would go on in a folder that is gone.
func checkNotHome(out string) error {
	home, _ := os.UserHomeDir()
	here, _ := os.Getwd()
	for dir, what := range map[string]string{home: "your home folder", here: "the current folder"} {
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

// checkSpace refuses an output for which the disk has no room: region of s,
// written to out.
func checkSpace(s *series.Series, region volume.Region, out string, o ExportOptions) error {
	return atomic.CheckSpace(out, outputSize(s, region, out, o))
}

// outputSize returns how many bytes an output takes at least; 0 for a compressed
// one, of which that is not known before.
func outputSize(s *series.Series, region volume.Region, out string, o ExportOptions) int64 {
	switch voxels := int64(region.Voxels()); {
	case o.compressed() || strings.HasSuffix(strings.ToLower(out), ".gz"):
		return 0
	case FormatOf(out) != DICOM:
		return voxels * int64(nifti.BytesPerVoxel(o.Dtype))
	case !hasDICOM(s):
		return voxels * 2
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
