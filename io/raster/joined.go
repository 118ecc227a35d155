package raster

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"quell/internal/message"
)

// joined is a file made of the same number of bytes of each of several files, one after another: the
// slices of a volume. Each is opened while it is read.
type joined struct {
	fsys  fs.FS
	names []string
	each  int64
	at    int64 // of Read
}

// OpenJoined opens several files as one, of each the first bytes. Each must have so many.
func OpenJoined(fsys fs.FS, names []string, each int64) (*File, error) {
	unused := int64(0)
	for _, name := range names {
		info, err := fs.Stat(fsys, name)
		switch {
		case err != nil:
			return nil, message.Errorf(message.InputUnreadable, "a file of its voxels, %s, cannot be opened (%w); put all files into one folder", name, WithoutPath(err))
		case !info.Mode().IsRegular() || info.Size() < each:
			return nil, message.Errorf(message.InputTruncated, "a file of its voxels, %s, should have %d bytes, but it has %d; get a complete copy", name, each, info.Size())
		}
		unused += info.Size() - each
	}
	j := &joined{fsys: fsys, names: names, each: each}
	f := newFile(j, j.size())
	f.unused = unused
	return f, nil
}

func (j *joined) size() int64 { return int64(len(j.names)) * j.each }

// Stat implements fs.File, which only the size of a file is asked of.
func (j *joined) Stat() (fs.FileInfo, error) { return nil, errors.ErrUnsupported }

// Close implements fs.File.
func (j *joined) Close() error { return nil }

// Read implements io.Reader.
func (j *joined) Read(p []byte) (int, error) {
	n, err := j.ReadAt(p[:min(int64(len(p)), max(j.size()-j.at, 0))], j.at)
	j.at += int64(n)
	if n == 0 && err == nil && len(p) > 0 {
		err = io.EOF
	}
	return n, err
}

// ReadAt implements io.ReaderAt.
func (j *joined) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		at := off + int64(n)
		k := at / j.each
		if k >= int64(len(j.names)) {
			return n, io.EOF
		}
		got, err := j.readOne(j.names[k], p[n:min(int64(len(p)), int64(n)+(k+1)*j.each-at)], at-k*j.each)
		n += got
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// readOne fills p from one file.
func (j *joined) readOne(name string, p []byte, off int64) (int, error) {
	f, err := j.fsys.Open(name)
	if err != nil {
		return 0, WithoutPath(err)
	}
	defer f.Close()
	if r, ok := f.(io.ReaderAt); ok {
		n, err := r.ReadAt(p, off)
		if n == len(p) {
			err = nil
		}
		return n, err
	}
	if _, err := io.CopyN(io.Discard, f, off); err != nil {
		return 0, err
	}
	return io.ReadFull(f, p)
}

// maxFiles bounds the files of one image.
const maxFiles = 1 << 16

// Numbered returns the names that a pattern of package fmt, such as slice_%03d.raw, makes of the numbers from
// first to last.
func Numbered(pattern string, first, last, step int) ([]string, error) {
	before, verb, after := "", "", ""
	for i := range pattern {
		if pattern[i] != '%' {
			continue
		}
		end := i + 1
		for end < len(pattern) && pattern[end] >= '0' && pattern[end] <= '9' && end-i < 4 {
			end++
		}
		if verb != "" || end == len(pattern) || pattern[end] != 'd' {
			return nil, message.Errorf(message.InputDamaged, "the header names its files %q, which is no pattern with one %%d; it is damaged", pattern)
		}
		before, verb, after = pattern[:i], pattern[i:end+1], pattern[end+1:]
	}
	if verb == "" || step == 0 || (last-first)/step < 0 || (last-first)/step >= maxFiles || step < 0 && last > first || step > 0 && last < first {
		return nil, message.Errorf(message.InputDamaged, "the header names its files %q from %d to %d in steps of %d; it is damaged", pattern, first, last, step)
	}
	var names []string
	for k := range (last-first)/step + 1 {
		names = append(names, before+fmt.Sprintf(verb, first+k*step)+after)
	}
	return names, nil
}

// Listed returns the names on the lines that follow in a header.
func Listed(file *File) (names []string, err error) {
	names = []string{}
	for {
		line, err := file.Line()
		switch {
		case errors.Is(err, io.EOF):
			return names, nil
		case err != nil:
			return nil, err
		}
		if line = strings.TrimSpace(line); line != "" {
			names = append(names, line)
		}
	}
}
