package nifti_test

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"quell/io/nifti"
	"quell/io/nifti/niftitest"
	"quell/volume"
)

// mark is what the header of a file keeps of the gradients that were written with it.
func mark(bval, bvec []byte) string {
	return fmt.Sprintf("bval %06x bvec %06x", crc32.ChecksumIEEE(bval)>>8, crc32.ChecksumIEEE(bvec)>>8)
}

// Gradients next to a file are its own if its header holds the mark of both: the first of the files that it does not know
// is named, and one that is not there is not.
func TestForeignGradients(t *testing.T) {
	bval, bvec, other := []byte("0 1000\n"), []byte("0 1\n0 0\n0 0\n"), []byte("0 700\n")
	for name, c := range map[string]struct {
		mark       string // in the header
		bval, bvec []byte // on disk; nil: not there
		want       string // the ending of the named file
	}{
		"none":                   {"", nil, nil, ""},
		"only .bval, not known":  {"", bval, nil, ".bval"},
		"only .bvec, not known":  {"", nil, bvec, ".bvec"},
		"both, not known":        {"", bval, bvec, ".bval"},
		"both known":             {mark(bval, bvec), bval, bvec, ""},
		"only .bval, known":      {mark(bval, nil), bval, nil, ""},
		".bval of another":       {mark(other, bvec), bval, bvec, ".bval"},
		".bvec of another":       {mark(bval, other), bval, bvec, ".bvec"},
		"only .bvec, of another": {mark(nil, other), nil, bvec, ".bvec"},
	} {
		t.Run(name, func(t *testing.T) {
			base := filepath.Join(t.TempDir(), "dwi")
			put := func(path string, data []byte) {
				t.Helper()
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := niftitest.Write(t.Context(), base+".nii", volume.New(volume.NewGeometry([3]int{2, 2, 2}, [3]float64{1, 1, 1})), ""); err != nil {
				t.Fatal(err)
			}
			file, err := os.ReadFile(base + ".nii")
			if err != nil {
				t.Fatal(err)
			}
			const auxiliary = 228 // of aux_file in the header, 24 bytes
			copy(file[auxiliary:auxiliary+24], append([]byte(c.mark), make([]byte, 24)...))
			put(base+".nii", file)
			if c.bval != nil {
				put(base+".bval", c.bval)
			}
			if c.bvec != nil {
				put(base+".bvec", c.bvec)
			}
			want := ""
			if c.want != "" {
				want = base + c.want
			}
			if got := nifti.Format.Foreign(base + ".nii"); got != want {
				t.Errorf("%q; want %q", got, want)
			}
		})
	}
}
