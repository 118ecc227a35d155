package files

import (
	"os"
	"path/filepath"
	"quell/app/job"
	"quell/internal/message"
	"slices"
	"strings"
)

// Kind is what an output holds: it says which names it may have, which files are
// written, and which earlier ones may be replaced unasked.
type Kind struct {
	Name    string   // in words: "a report"
	Endings []string // of its names, in lower case; nil for any that belongs to no other kind
	Strict  bool     // a name without an ending is refused too

	members  func(path string) []string // the written files; nil for path alone
	folder   func(path string) bool     // path is a folder that is replaced as a whole; nil for a file
	own      func(path string) bool     // a file that is there is of this kind and Quell's; nil for never
	existing func(path string, overwrite bool) error
	writable func(path string) error
}

// paths returns the files and folders that an output of that name is written to.
func (k *Kind) paths(path string) []string {
	if k.members == nil {
		return []string{path}
	}
	return k.members(path)
}

// replaces reports whether path is a folder that is replaced as a whole.
func (k *Kind) replaces(path string) bool { return k.folder != nil && k.folder(path) }

// Ours reports whether a file is of the kind and Quell's.
func (k *Kind) Ours(path string) bool { return k.own != nil && k.own(path) }

// checkFiles refuses to replace a file that is not of the kind.
func (k *Kind) checkFiles(path string, overwrite bool) error {
	for _, file := range k.paths(path) {
		info, err := os.Stat(file)
		if overwrite || !Exists(file) || err == nil && info.IsDir() { // which atomic.Check knows
			continue
		}
		if !k.Ours(file) {
			return foreign(file)
		}
	}
	return nil
}

// ending returns the ending of a name in lower case, with its dot; "" for none. A dot at the
// beginning is none, nor is one before a digit or before more than four letters, unless
// it begins the ending of a known format: sub-01.v2 and study_2.5mm are folders.
func ending(path string) string {
	name := strings.ToLower(filepath.Base(path))
	if _, known := SplitEnding(name); known != "" {
		return known
	}
	ext := filepath.Ext(name)
	if ext == name || ext == "." {
		return ""
	}
	if slices.Contains(otherEndings, ext) {
		return ext
	}
	letters := strings.TrimLeft(ext[min(1, len(ext)):], "abcdefghijklmnopqrstuvwxyz") == ""
	if letters && len(ext) > 1 && len(ext) <= 5 {
		return ext
	}
	return ""
}

// CheckName refuses the ending of another format.
func (k *Kind) CheckName(path string) error {
	end := ending(path)
	if end == "" && !k.Strict || slices.Contains(k.Endings, end) {
		return nil
	}
	if k.folder != nil {
		if info, err := os.Stat(filepath.Clean(path)); os.IsPathSeparator(path[len(path)-1]) || err == nil && info.IsDir() {
			return nil
		}
		return job.Usagef("%s: Quell does not write %s; give a name that ends in %s, or a folder of DICOM, with a slash at its end if its name has a dot", path, end, message.Or(FileEndings()))
	}
	if !k.Strict && (k.Endings == nil || !slices.Contains(otherEndings, end) && !slices.Contains(FileEndings(), end)) {
		return nil
	}
	return job.Usagef("%s: for %s give a name that ends in %s", path, message.Word(k.Name), strings.Join(k.Endings, " or "))
}
