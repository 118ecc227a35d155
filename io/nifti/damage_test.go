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
	"time"

	"github.com/klauspost/compress/gzip"

	"quell/series"
	"quell/volume"
)

// Of every sample, and of larger images made here, 200 beginnings are read,
// 200 copies with one byte changed, and 20 with 200 bytes changed.
const (
	cutsPerFile    = 200
	flipsPerFile   = 200
	ruinedPerFile  = 20
	bytesPerRuin   = 200
	damagePatience = 5 * time.Second
)

// fixedMemory is more than what the buffers of one read take whatever the file's
// size: chunks, blocks read ahead, the file's own and the inflater's.
const fixedMemory = 1 << 20

func TestDamagedFiles(t *testing.T) {
	cuts, flips, ruined := cutsPerFile, flipsPerFile, ruinedPerFile
	if testing.Short() {
		cuts, flips, ruined = cuts/10, flips/10, ruined/10
	}
	samples := damageSamples(t)
	for name, files := range samples {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(len(name))))
			need := needOf(t, files, name)
			for damaged := range files {
				whole := files[damaged]
				try := func(b []byte, what string, args ...any) {
					t.Helper()
					copied := map[string][]byte{}
					for other, data := range files {
						copied[other] = data
					}
					copied[damaged] = b
					surviveDamage(t, copied, name, need, damaged+fmt.Sprintf(what, args...))
				}
				for i := range cuts {
					n := len(whole) * i / cuts
					try(whole[:n], " cut to %d bytes", n)
				}
				for i := range flips + ruined {
					b := bytes.Clone(whole)
					times := 1
					if i >= flips {
						times = bytesPerRuin
					}
					at := 0
					for range times {
						at = rng.IntN(len(b))
						b[at] ^= byte(1 + rng.IntN(255))
					}
					try(b, " with %d bytes changed, %d the last", times, at)
				}
			}
		})
	}
}

// damageSamples returns the files to damage by the name to open, each with the
// others that belong to it.
func damageSamples(t *testing.T) map[string]map[string][]byte {
	t.Helper()
	samples := map[string]map[string][]byte{}
	err := fs.WalkDir(os.DirFS("testdata"), ".", func(name string, d fs.DirEntry, err error) error {
		base, ext, _ := splitExt(name)
		if err != nil || d.IsDir() || ext == "" || ext == ".img" || strings.HasPrefix(name, "refused") {
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
		clear(v.Data) // shrinks as far as deflate can
		samples["air-"+dtype+".nii.gz"] = map[string][]byte{"air-" + dtype + ".nii.gz": fileOf(t, v, dtype, ".nii.gz")}
	}
	return samples
}

// fileOf returns the file that Write makes of v.
func fileOf(t *testing.T, v *volume.Volume, dtype, ext string) []byte {
	t.Helper()
	name := path.Join(t.TempDir(), "a"+ext)
	if err := Write(t.Context(), name, v, nil, dtype, ""); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// needOf returns what an intact image takes in memory: its files as they are
// before conversion, and one volume of float32.
func needOf(t *testing.T, files map[string][]byte, name string) int {
	t.Helper()
	need := 0
	for _, b := range files {
		need += len(inflated(b))
	}
	info, err := ReadHeader(mapFS(files), name)
	if err != nil {
		t.Fatal(err)
	}
	return need + 4*info.Geometry.Voxels()
}

// inflated returns what a gzip file holds, as far as it can be read, and other
// files as they are.
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

// surviveDamage reads header, first and last volume of what may be damaged, and
// demands a sentence or a sound volume, soon, and in less than twice the memory
// that the intact file needs. All that is allocated counts, though much of it
// is free again before the rest is taken.
func surviveDamage(t *testing.T, files map[string][]byte, name string, need int, what string) {
	t.Helper()
	fsys := mapFS(files)
	start := time.Now()
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%s: panic: %v", what, r)
		}
		if elapsed := time.Since(start); elapsed > damagePatience {
			t.Errorf("%s: took %v", what, elapsed)
		}
	}()
	info, err := ReadHeader(fsys, name)
	if err != nil {
		demandSentence(t, err, name, what)
		return
	}
	var component Component
	if len(info.Components) > 0 {
		component = info.Components[0]
	}
	for _, v := range slices.Compact([]int{0, info.Volumes - 1}) {
		var s *series.Series
		used := allocated(func() { s, err = ReadComponent(context.Background(), fsys, name, v, component) })
		own := need
		if err != nil {
			demandSentence(t, err, name, what)
		} else {
			if err := s.Volume.Validate(); err != nil {
				t.Errorf("%s: an unsound volume: %v", what, err)
			}
			// Damage may make an image of another size, which then counts.
			own = max(own, 4*len(s.Volume.Data)+len(s.Volume.Mask))
		}
		if limit := uint64(2*own + fixedMemory); used > limit {
			t.Errorf("%s: %d bytes allocated, more than %d (%v)", what, used, limit, err)
		}
	}
}

func demandSentence(t *testing.T, err error, name, what string) {
	t.Helper()
	text, found := strings.CutPrefix(err.Error(), name+": ")
	if !found || len(strings.Fields(text)) < 4 || strings.Contains(text, "\n") {
		t.Errorf("%s: the error is no sentence about the file: %v", what, err)
	}
}
