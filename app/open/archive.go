package open

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"quell/app/files"
	"quell/app/job"
	"quell/internal/message"
)

// maxArchiveFiles bounds the members of an archive.
const maxArchiveFiles = 200_000

// archive is a zip file as an fs.FS that remembers its path.
type archive struct {
	*zip.ReadCloser
	path string
}

// OnDisk returns the path of the archive, which holds all files.
func (a *archive) OnDisk(string) string { return a.path }

// Open opens a member; a DICOM file compressed by gzip is decompressed.
func (a *archive) Open(name string) (fs.File, error) {
	return files.OpenPlain(name, func() (fs.File, error) { return a.ReadCloser.Open(name) })
}

func openArchive(path string) (*archive, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, &job.InputError{Path: path, Problem: message.New(message.InputDamaged, "this zip file is damaged or truncated"), Advice: message.Text("copy it again from its source"), Err: err}
	}
	if err := checkArchive(&z.Reader, path); err != nil {
		z.Close()
		return nil, err
	}
	renameMembers(z.File)
	return &archive{ReadCloser: z, path: path}, nil
}

// checkArchive applies the limits to an archive's directory. A member that
// inflates to more than the directory says is refused by archive/zip itself.
func checkArchive(z *zip.Reader, path string) error {
	advice := message.Text("unpack it and open the folder if you trust it")
	if len(z.File) > maxArchiveFiles {
		return &job.InputError{Path: path, Problem: message.New(message.InputTooLarge, "this zip file contains %d files, more than %d", len(z.File), maxArchiveFiles), Advice: advice}
	}
	var packed, unpacked uint64
	for _, f := range z.File {
		const encrypted = 1 // bit of Flags
		switch {
		case f.Flags&encrypted != 0:
			return &job.InputError{Path: path, Problem: message.New(message.InputUnsupported, "this zip file is encrypted"), Advice: message.Text("unpack it with its password and open the folder")}
		case f.Method != zip.Store && f.Method != zip.Deflate:
			return &job.InputError{Path: path, Problem: message.New(message.InputUnsupported, "this zip file uses a compression method that is not supported (%d)", f.Method), Advice: message.Text("unpack it and open the folder")}
		case f.UncompressedSize64 > files.MaxUnpacked: // the sum could overflow
			return &job.InputError{Path: path, Problem: message.Text("this zip file %s", files.CheckUnpacked(0, f.UncompressedSize64)), Advice: advice}
		}
		packed += f.CompressedSize64
		unpacked += f.UncompressedSize64
	}
	if problem := files.CheckUnpacked(packed, unpacked); !problem.IsZero() {
		return &job.InputError{Path: path, Problem: message.Text("this zip file %s", problem), Advice: advice}
	}
	return nil
}

// renameMembers gives every member a unique name that io/fs accepts: archives
// from other systems hold names in a DOS code page, with backslashes, or the
// same name twice.
func renameMembers(files []*zip.File) {
	taken := map[string]bool{}
	for _, f := range files {
		name := f.Name
		if !utf8.ValidString(name) {
			name, _ = charmap.CodePage437.NewDecoder().String(name) // defined for every byte
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
