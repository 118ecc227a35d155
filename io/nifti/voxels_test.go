package nifti

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/volume"
)

// sequentialFS is a file system with files that can only be read sequentially, as in
// a zip. They may state a size that is larger than theirs by more.
type sequentialFS struct {
	fs.FS
	more int64
}

func (s sequentialFS) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	return sequentialFile{f, s.more}, err
}

type sequentialFile struct {
	fs.File
	more int64
}

func (f sequentialFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return longer{info, f.more}, err
}

type longer struct {
	fs.FileInfo
	more int64
}

func (l longer) Size() int64 { return l.FileInfo.Size() + l.more }

// phantom returns a volume of whole numbers that takes several chunks and blocks.
func phantom(dims [3]int) *volume.Volume {
	v := volume.New(volume.NewGeometry(dims, [3]float64{0.5, 0.5, 2}))
	noise := uint32(1)
	for i := range v.Data {
		noise = noise*1664525 + 1013904223
		v.Data[i] = float32(i/997%1500) + float32(noise>>27)
	}
	return v
}

// TestParallelAndSequentialReading: a file gives the same voxels in parallel and as a
// stream, in one block and in blocks that are joined.
func TestParallelAndSequentialReading(t *testing.T) {
	v := phantom([3]int{211, 190, 13})
	for i := range v.Data[:len(v.Data)/2] {
		v.Data[i] = 7 // so that a compressed file needs more than one block
	}
	dir := t.TempDir()
	for _, name := range []string{"a.nii", "a.nii.gz"} {
		if err := Write(t.Context(), filepath.Join(dir, name), v, nil, nil, "int16", ""); err != nil {
			t.Fatal(err)
		}
		for what, fsys := range map[string]fs.FS{"random access": os.DirFS(dir), "sequential": sequentialFS{FS: os.DirFS(dir)}} {
			s, err := Read(t.Context(), fsys, name)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(s.Volume.Data, v.Data) {
				t.Errorf("%s, %s: the voxels differ", name, what)
			}
		}
	}
}

// TestFileShorterThanItsSize: a file that shrinks while it is read gives an error,
// read in parallel and sequentially.
func TestFileShorterThanItsSize(t *testing.T) {
	b := fileOf(t, phantom([3]int{128, 128, 40}), "int16", ".nii")
	short := fstest.MapFS{"a.nii": {Data: b[:len(b)-1]}}
	for _, fsys := range []fs.FS{wrongSizeFS{short}, sequentialFS{short, 1}} {
		if _, err := Read(t.Context(), fsys, "a.nii"); err == nil || !strings.Contains(err.Error(), "ends after") {
			t.Errorf("error %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, wrongSizeFS{short}, "a.nii"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// wrongSizeFS is a file system with files that have random access and state a size
// that is one byte too large.
type wrongSizeFS struct{ fs.FS }

func (w wrongSizeFS) Open(name string) (fs.File, error) {
	f, err := w.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return wrongSizeFile{f, f.(io.ReaderAt)}, nil
}

type wrongSizeFile struct {
	fs.File
	io.ReaderAt
}

func (f wrongSizeFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return longer{info, 1}, err
}

func BenchmarkRead(b *testing.B) {
	v := phantom([3]int{512, 512, 40})
	dir := b.TempDir()
	for _, ext := range []string{".nii", ".nii.gz"} {
		for _, dtype := range []string{"int16", "float32"} {
			name := dtype + ext
			if err := Write(b.Context(), filepath.Join(dir, name), v, nil, nil, dtype, ""); err != nil {
				b.Fatal(err)
			}
			b.Run(name, func(b *testing.B) {
				b.SetBytes(int64(4 * len(v.Data)))
				for b.Loop() {
					if _, err := Read(b.Context(), os.DirFS(dir), name); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
