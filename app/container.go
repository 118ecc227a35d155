package app

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/text/encoding/charmap"

	"quell/io/dicom"
	"quell/series"
)

// folder is a directory of the machine as an fs.FS that remembers where it is,
// so that an export can tell whether it would touch its own source.
type folder struct {
	fs.FS
	root  string // as the user named it
	whole bool   // everything below root was looked at, not just one file
}

func openFolder(root string, whole bool) *folder {
	return &folder{FS: os.DirFS(root), root: root, whole: whole}
}

// foreign returns the path of a name that is no UTF-8, as folders from other
// systems hold some: io/fs refuses them, and the machine does not.
func (f *folder) foreign(name string) (string, bool) {
	if utf8.ValidString(name) || !fs.ValidPath(strings.ToValidUTF8(name, "_")) {
		return "", false
	}
	return filepath.Join(f.root, filepath.FromSlash(name)), true
}

// Open opens a file or folder, also one whose name is no UTF-8.
func (f *folder) Open(name string) (fs.File, error) {
	if full, ok := f.foreign(name); ok {
		return os.Open(full)
	}
	return f.FS.Open(name)
}

// ReadFile, Stat and ReadDir pass on what os.DirFS does better than Open.
func (f *folder) ReadFile(name string) ([]byte, error) {
	if full, ok := f.foreign(name); ok {
		return os.ReadFile(full)
	}
	return fs.ReadFile(f.FS, name)
}

func (f *folder) Stat(name string) (fs.FileInfo, error) {
	if full, ok := f.foreign(name); ok {
		return os.Stat(full)
	}
	return fs.Stat(f.FS, name)
}

func (f *folder) ReadDir(name string) ([]fs.DirEntry, error) {
	if full, ok := f.foreign(name); ok {
		return os.ReadDir(full)
	}
	return fs.ReadDir(f.FS, name)
}

// Limits of an archive. Headers are read before sizes can be believed, so a
// small file that promises a huge one is refused at the door.
const (
	maxArchiveFiles = 200_000
	maxArchiveBytes = 64 << 30 // decompressed
	// An honest archive of images shrinks by a factor of 2 to 10, one of
	// nothing but air by 100; deflate reaches 1032.
	maxArchiveRatio = 200
	ratioCountsFrom = 1 << 30 // decompressed bytes below which any ratio is harmless
)

// archive is a zip file as an fs.FS that remembers where it is.
type archive struct {
	*zip.ReadCloser
	path string
}

func openArchive(path string) (*archive, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, &InputError{Path: path, Problem: "this zip file is damaged or cut off", Advice: "copy it again from where it came", Err: err}
	}
	if err := checkArchive(&z.Reader, path); err != nil {
		z.Close()
		return nil, err
	}
	renameMembers(z.File)
	return &archive{ReadCloser: z, path: path}, nil
}

// checkArchive judges an archive by its directory. What a member inflates to
// beyond the size stated there, archive/zip itself refuses to read.
func checkArchive(z *zip.Reader, path string) error {
	const advice = "unpack it and open the folder if you trust it"
	if len(z.File) > maxArchiveFiles {
		return &InputError{Path: path, Problem: fmt.Sprintf("this zip file holds %d files, more than %d", len(z.File), maxArchiveFiles), Advice: advice}
	}
	var packed, unpacked uint64
	for _, f := range z.File {
		const encrypted = 1 // bit of Flags
		switch {
		case f.Flags&encrypted != 0:
			return &InputError{Path: path, Problem: "this zip file is encrypted", Advice: "unpack it with its password and open the folder"}
		case f.Method != zip.Store && f.Method != zip.Deflate:
			return &InputError{Path: path, Problem: fmt.Sprintf("this zip file is compressed in a way that is not read (method %d)", f.Method), Advice: "unpack it and open the folder"}
		}
		packed += f.CompressedSize64
		unpacked += f.UncompressedSize64
		if f.UncompressedSize64 > maxArchiveBytes || unpacked > maxArchiveBytes {
			return &InputError{Path: path, Problem: fmt.Sprintf("this zip file unpacks to more than %d GiB", maxArchiveBytes>>30), Advice: advice}
		}
	}
	if unpacked > ratioCountsFrom && unpacked/max(packed, 1) > maxArchiveRatio {
		return &InputError{Path: path, Problem: fmt.Sprintf("this zip file unpacks to %d times its size, which no image does", unpacked/max(packed, 1)), Advice: advice}
	}
	return nil
}

// renameMembers gives every member a name that io/fs takes and that is its own:
// archives from other systems hold names in the code page of the old DOS, with
// backslashes, or twice.
func renameMembers(files []*zip.File) {
	taken := map[string]bool{}
	for _, f := range files {
		name := f.Name
		if !utf8.ValidString(name) {
			name, _ = charmap.CodePage437.NewDecoder().String(name) // every byte is a character there
		}
		name = path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))[1:]
		if strings.HasSuffix(f.Name, "/") || name == "" {
			f.Name = name + "/"
			continue
		}
		f.Name = name
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			taken[dir] = true
		}
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		name := f.Name
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s (%d)", f.Name, n)
		}
		f.Name = name
		taken[name] = true
	}
}

// isPacked says whether a name is one of an archive or a packed file.
func isPacked(name string) bool {
	return slices.Contains([]string{".gz", ".tgz", ".zip", ".tar", ".7z", ".rar", ".bz2", ".xz", ".zst"}, strings.ToLower(path.Ext(name)))
}

// wrapping says what a file is packed in that is not opened here; "" where it is
// in nothing of the kind. Of gzip only NIfTI is read.
func wrapping(file string, head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		inner := gzipHead(file)
		if isTar(inner) {
			return "a tar archive"
		}
		if dicom.Sniff(inner) {
			return "a DICOM file packed by gzip"
		}
	case isTar(head):
		return "a tar archive"
	case bytes.HasPrefix(head, []byte("7z\xbc\xaf\x27\x1c")):
		return "a 7z archive"
	case bytes.HasPrefix(head, []byte("Rar!\x1a\x07")):
		return "a RAR archive"
	}
	return ""
}

func isTar(head []byte) bool { return len(head) >= 262 && string(head[257:262]) == "ustar" }

// gzipHead returns the beginning of what a file holds unpacked, as far as it can be
// read.
func gzipHead(file string) []byte {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil
	}
	head, _ := readHead(z) // what can be read is looked at
	return head
}

// origin returns the file of the machine that a source lies in; false where it
// lies in none (the bundled series).
func origin(src series.Source) (path string, ok bool) {
	switch f := src.FS.(type) {
	case *folder:
		return filepath.Join(f.root, filepath.FromSlash(src.Name)), true
	case *archive:
		return f.path, true
	}
	return "", false
}
