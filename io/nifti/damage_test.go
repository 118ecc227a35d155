package nifti

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"

	"quell/series"
	"quell/volume"
)

// Numbers of damaged copies that are read of each file.
const (
	truncatedCopies = 200 // truncated at lengths spread over the file
	changedCopies   = 200 // with one byte changed
	ruinedCopies    = 20  // with bytesPerRuin bytes changed
	bytesPerRuin    = 200
)

// bufferMemory bounds the memory of one read that does not depend on the size of the
// file: chunks, blocks read ahead, the buffers of file and decompressor.
const bufferMemory = 1 << 20

// TestDamagedFiles damages every sample, and larger images made here.
func TestDamagedFiles(t *testing.T) {
	truncated, changed, ruined := truncatedCopies, changedCopies, ruinedCopies
	if testing.Short() {
		truncated, changed, ruined = truncated/10, changed/10, ruined/10
	}
	samples := damageSamples(t)
	for name, files := range samples {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(len(name))))
			need := memoryOf(t, files, name)
			for damaged := range files {
				whole := files[damaged]
				try := func(b []byte, what string, args ...any) {
					t.Helper()
					copied := map[string][]byte{}
					for other, data := range files {
						copied[other] = data
					}
					copied[damaged] = b
					checkDamaged(t, copied, name, need, damaged+fmt.Sprintf(what, args...))
				}
				for i := range truncated {
					n := len(whole) * i / truncated
					try(whole[:n], " truncated to %d bytes", n)
				}
				for i := range changed + ruined {
					b := bytes.Clone(whole)
					times := 1
					if i >= changed {
						times = bytesPerRuin
					}
					at := 0
					for range times {
						at = rng.IntN(len(b))
						b[at] ^= byte(1 + rng.IntN(255))
					}
					try(b, " with %d bytes changed, the last at %d", times, at)
				}
			}
		})
	}
}

// damageSamples returns the images to damage: for each name to open, the files that
// it consists of.
func damageSamples(t *testing.T) map[string]map[string][]byte {
	t.Helper()
	samples := map[string]map[string][]byte{}
	err := fs.WalkDir(os.DirFS("testdata"), ".", func(name string, d fs.DirEntry, err error) error {
		base, ext, _ := splitExt(name)
		if err != nil || d.IsDir() || ext == "" || ext == ".img" || strings.HasPrefix(name, "refused") {
			return err
		}
		const largest = 64 << 10 // damaging a larger file takes long and shows nothing new
		if info, err := d.Info(); err != nil || info.Size() > largest {
			return err
		}
		samples[path.Base(name)] = map[string][]byte{path.Base(name): sample(t, name)}
		if ext == ".hdr" {
			samples[path.Base(name)][path.Base(base)+".img"] = sample(t, base+".img")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dtype := range []string{"uint8", "int16", "float32"} {
		v := volume.New(volume.NewGeometry([3]int{96, 80, 12}, [3]float64{1, 1, 2}))
		for i := range v.Data {
			v.Data[i] = float32((i*i/977 + i/13) % 251)
		}
		for _, ext := range []string{".nii", ".nii.gz"} {
			samples["large-"+dtype+ext] = map[string][]byte{"large-" + dtype + ext: fileOf(t, v, dtype, ext)}
		}
		clear(v.Data) // has the highest compression ratio
		samples["air-"+dtype+".nii.gz"] = map[string][]byte{"air-" + dtype + ".nii.gz": fileOf(t, v, dtype, ".nii.gz")}
	}
	return samples
}

// fileOf returns the bytes of the file that Write makes of v.
func fileOf(t *testing.T, v *volume.Volume, dtype, ext string) []byte {
	t.Helper()
	name := path.Join(t.TempDir(), "a"+ext)
	if err := Write(t.Context(), name, v, nil, nil, dtype, ""); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// memoryOf returns the memory that reading an intact image takes: its files,
// decompressed, and one volume of float32.
func memoryOf(t *testing.T, files map[string][]byte, name string) int {
	t.Helper()
	need := 0
	for _, b := range files {
		if need += len(inflated(b)); bytes.HasPrefix(b, []byte("BZh")) {
			need += 4 * 900_000 // the largest block that the one damaged digit of a header can ask for
		}
	}
	info, err := Open.ReadHeader(mapFS(files), name)
	if err != nil {
		t.Fatal(err)
	}
	return need + 4*info.Geometry.Voxels()
}

// inflated returns the decompressed bytes of a gzip file, as far as it can be read,
// and any other file unchanged.
func inflated(b []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return b
	}
	out, _ := io.ReadAll(z)
	return out
}

func mapFS(files map[string][]byte) fstest.MapFS {
	m := fstest.MapFS{}
	for name, b := range files {
		m[name] = &fstest.MapFile{Data: b, Mode: 0o444}
	}
	return m
}

// checkDamaged reads header, first and last volume of an image that may be damaged.
// It demands an error of one sentence or a valid volume, and no more than twice the
// memory that the intact file takes, counting all allocations.
func checkDamaged(t *testing.T, files map[string][]byte, name string, need int, what string) {
	t.Helper()
	fsys := mapFS(files)
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%s: panic: %v", what, r)
		}
	}()
	info, err := Open.ReadHeader(fsys, name)
	if err != nil {
		checkSentence(t, err, name, what)
		return
	}
	var component Component
	if len(info.Components) > 0 {
		component = info.Components[0]
	}
	for _, v := range slices.Compact([]int{0, info.Volumes - 1}) {
		var s *series.Series
		read := func() { s, err = ReadComponent(context.Background(), fsys, name, v, component) }
		used := allocated(read)
		limit := need
		if err != nil {
			checkSentence(t, err, name, what)
		} else {
			if err := s.Volume.Validate(); err != nil {
				t.Errorf("%s: an invalid volume: %v", what, err)
			}
			// Damage may change the size of the image.
			limit = max(limit, 4*len(s.Volume.Data)+len(s.Volume.Mask))
		}
		limit = 2*limit + bufferMemory
		// The count includes earlier reads and tests that end late; a read allocates its own share again.
		for range 2 {
			if used > uint64(limit) {
				used = min(used, allocated(read))
			}
		}
		if used > uint64(limit) {
			t.Errorf("%s: %d bytes allocated, more than %d (%v)", what, used, limit, err)
		}
	}
}

func checkSentence(t *testing.T, err error, name, what string) {
	t.Helper()
	text, found := strings.CutPrefix(err.Error(), name+": ")
	if !found || len(strings.Fields(text)) < 4 || strings.Contains(text, "\n") {
		t.Errorf("%s: the error is not a sentence about the file: %v", what, err)
	}
}
