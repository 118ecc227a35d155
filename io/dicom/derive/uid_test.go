package derive_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"quell/io/dicom/derive"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/series"
	"quell/volume"
)

// uidsOf returns the series UID and the SOP Instance UIDs of a folder.
func uidsOf(t *testing.T, dir string) []string {
	t.Helper()
	s := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(dir)), 0)
	out := []string{s.UID}
	for _, src := range s.Sources {
		out = append(out, src.UID)
	}
	return out
}

// TestEncodingsShareNoUID exports one result in every encoding: no two exports have a
// UID in common, and the same export made again has the same UIDs.
func TestEncodingsShareNoUID(t *testing.T) {
	seen := map[string]string{}
	check := func(name string, export func() string) {
		t.Helper()
		first, again := uidsOf(t, export()), uidsOf(t, export())
		if fmt.Sprint(first) != fmt.Sprint(again) {
			t.Errorf("%s: %v, and made again %v", name, first, again)
		}
		for _, uid := range first {
			if other, taken := seen[uid]; taken {
				t.Errorf("%s and %s share %s", name, other, uid)
			}
			seen[uid] = name
		}
	}
	for _, enc := range []part10.Encoding{part10.ExplicitLE, part10.ImplicitLE, part10.ExplicitBE} {
		fakes := dicomtest.Stack(2)
		for _, f := range fakes {
			f.Enc = enc
		}
		_, s := dicomtest.OnDisk(t, fakes)
		for _, c := range pixel.Compressions() {
			// An implicit source becomes explicit to be compressed, so that its compressed
			// exports equal the exports of the explicit one; big endian is never
			// compressed.
			if enc != part10.ExplicitLE && c != pixel.Uncompressed {
				continue
			}
			for _, d := range []derive.Derived{dicomtest.TestDerived, dicomtest.Hidden("secret")} {
				d.Compress = c
				check(fmt.Sprintf("%v %s, de-identified %v", enc, c, d.Deidentify), func() string {
					dir, _ := dicomtest.Export(t, s, d)
					return dir
				})
			}
		}
	}
	grid := volume.NewGeometry([3]int{4, 3, 2}, [3]float64{1, 1, 1})
	for name, change := range map[string]func(*volume.Volume){
		"whole":  func(*volume.Volume) {},
		"masked": func(v *volume.Volume) { v.Mask = make([]bool, len(v.Data)); v.Mask[5] = true },
		"moved":  func(v *volume.Volume) { v.Affine[0][3] += 1 },
	} {
		for _, c := range pixel.Compressions() {
			check("new, "+name+", "+string(c), func() string {
				v := volume.New(grid)
				for i := range v.Data {
					v.Data[i] = float32(i)
				}
				change(v)
				d := dicomtest.TestDerived
				d.Compress = c
				dir := filepath.Join(t.TempDir(), "out")
				if _, err := dicomtest.WriteNew(t.Context(), dir, &series.Series{Volume: v}, d, nil); err != nil {
					t.Fatal(err)
				}
				return dir
			})
		}
	}
}
