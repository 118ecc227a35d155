package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"quell/app/job"
	"quell/internal/message"
	"quell/internal/regular"
	"quell/io/atomic"
	"quell/io/dicom"
	"quell/series"
)

// ErrForeignTarget is in the chain of the error for an output that would replace
// a file or folder that Quell did not write. With job.Options.Overwrite it is
// replaced.
var ErrForeignTarget = message.Errorf(message.OutputRefused, "the existing output was not written by Quell")

// Companions returns the names next to an output that belong to it.
func Companions(out string) []string {
	name := filepath.Base(out)
	return append([]string{name + RecordSuffix}, formatOf(name).Companions(name)...)
}

// besides returns the paths of the companions.
func besides(out string) []string {
	paths := Companions(out)
	for i, name := range paths {
		paths[i] = filepath.Join(filepath.Dir(out), name)
	}
	return paths
}

// SourcesOf returns the files of a series, and their folders if these were read as a whole:
// an output there would be found with the series the next time.
func SourcesOf(s *series.Series) []string {
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
		for _, other := range formatOf(path).Companions(path) {
			add(other)
		}
	}
	return paths
}

// CheckExisting refuses to replace a file or folder of another kind, one that Quell did not
// write unless overwrite asks for that, and in any case a folder with other files than DICOM.
func CheckExisting(out string, overwrite bool) error {
	format := formatOf(out)
	folder := format.Folder()
	if info, err := os.Stat(out); err == nil {
		switch {
		case folder && !info.IsDir():
			return job.Usagef("%s is a file, and a DICOM series needs a folder; choose another name, or one that ends in .nii.gz", out)
		case !folder && info.IsDir():
			return job.Usagef("%s is a folder; choose a name that is free", out)
		}
	}
	if err := checkNotHome(out); err != nil {
		return err
	}
	ours := !Exists(out)
	if !ours {
		var err error
		if ours, err = WrittenByQuell(out); err != nil {
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
	if record := out + RecordSuffix; Exists(record) && !IsRecord(record) {
		return foreign(record)
	}
	// The voxels of a pair are replaced together with its header.
	for _, image := range format.Files(out)[1:] {
		if Exists(image) && !Exists(out) {
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
		return job.Usagef("%s contains %s, which is not DICOM and would be lost; move it away, or choose another name", out, other)
	}
	return nil
}

// isDICOM reports whether a file holds DICOM, compressed by gzip or not.
func isDICOM(path string) bool {
	head, inner, err := Heads(path)
	return err == nil && (dicom.Sniff(head) || dicom.Sniff(inner))
}

// WrittenByQuell reports whether an existing output is one of Quell's.
func WrittenByQuell(out string) (bool, error) {
	return formatOf(out).Ours(out, func(name string) bool { return isRecordInside(out, name) })
}

// foreign is the error for what exists at path.
func foreign(path string) error {
	return &job.UsageError{
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
		if dir != "" && IsInside(dir, out) {
			return job.Usagef("%s is or contains %s, which is never replaced; name a folder in it", out, what)
		}
	}
	return nil
}

// folder is a directory of the machine as an fs.FS that remembers its path, so
// that an export can find out whether it would touch its own source.
type folder struct {
	fs.FS
	root  string // as the user named it
	whole bool   // everything below root was scanned, not just one file
}

// OpenFolder returns a folder; whole says that everything below it is read, not one file alone.
func OpenFolder(root string, whole bool) *folder {
	return &folder{FS: os.DirFS(root), root: root, whole: whole}
}

// nonUTF8 returns the path of a name that is not UTF-8. io/fs refuses such
// names, but folders from other systems hold them and the operating system
// opens them.
func (f *folder) nonUTF8(name string) (string, bool) {
	if utf8.ValidString(name) || !fs.ValidPath(strings.ToValidUTF8(name, "_")) {
		return "", false
	}
	return filepath.Join(f.root, filepath.FromSlash(name)), true
}

// OnDisk returns the path of a file.
func (f *folder) OnDisk(name string) string {
	return filepath.Join(f.root, filepath.FromSlash(name))
}

// Open opens a file or folder, and nothing else (package regular); a DICOM file compressed by gzip is decompressed.
func (f *folder) Open(name string) (fs.File, error) {
	return OpenPlain(name, func() (fs.File, error) {
		if full, ok := f.nonUTF8(name); ok {
			return regular.Open(full)
		}
		return regular.OpenIn(f.FS, name)
	})
}

// ReadDir forwards to what os.DirFS does better than Open.
func (f *folder) ReadDir(name string) ([]fs.DirEntry, error) {
	if full, ok := f.nonUTF8(name); ok {
		return os.ReadDir(full)
	}
	return fs.ReadDir(f.FS, name)
}

// Stat describes a file as Open returns it, without opening it if the size on disk
// is the size of the content.
func (f *folder) Stat(name string) (fs.FileInfo, error) {
	if mayBePacked(name) {
		file, err := f.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return file.Stat()
	}
	if full, ok := f.nonUTF8(name); ok {
		return os.Stat(full)
	}
	return fs.Stat(f.FS, name)
}

// origin returns the file of the machine that holds a source; false if there is
// none (the bundled series).
func origin(src series.Source) (path string, ok bool) {
	if f, found := src.FS.(interface{ OnDisk(name string) string }); found {
		return f.OnDisk(src.Name), true
	}
	return "", false
}
