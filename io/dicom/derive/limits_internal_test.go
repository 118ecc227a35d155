package derive

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"quell/internal/message"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/series"
	"quell/volume"
)

// textImage returns an image with texts in its source.
func textImage(texts map[part10.Tag]string) *image {
	s := &image{Derived: &Derived{}}
	s.File = &part10.File{}
	for tag, v := range texts {
		from := int64(len(s.Bytes))
		s.Bytes = append(s.Bytes, v...)
		s.File.Elements = append(s.File.Elements, part10.Element{Tag: tag, Start: from, Value: from, Length: uint32(len(v)), End: int64(len(s.Bytes))})
	}
	return s
}

// TestSeriesNumbers adds 9000 to the number of the source, as far as an IS can hold it.
func TestSeriesNumbers(t *testing.T) {
	for number, want := range map[string]string{"7": "9007", " -3 ": "8997", "": "9000", "x": "9000",
		"2147474647": "2147483647", "2147474648": "9000", "99999999999": "9000"} {
		if got := string(textImage(map[part10.Tag]string{part10.TagSeriesNumber: number}).seriesNumber()); got != want {
			t.Errorf("%q: %s, want %s", number, got, want)
		}
	}
}

// TestDerivationDescriptionLimit appends to the text of the source as long as both fit 1024
// characters.
func TestDerivationDescriptionLimit(t *testing.T) {
	for n, kept := range map[int]bool{1018: true, 1019: false} {
		old := strings.Repeat("x", n)
		s := textImage(map[part10.Tag]string{part10.TagDerivationDescription: old})
		s.Description = "mean"
		want := "mean"
		if kept {
			want = old + "; mean"
		}
		if got := string(s.derivationDescription()); got != want {
			t.Errorf("behind %d characters: %d characters", n, len(got))
		}
	}
}

// TestImageTypes derives ImageType of one value and of several.
func TestImageTypes(t *testing.T) {
	for _, c := range []struct{ old, second, want string }{
		{`ORIGINAL\PRIMARY\AXIAL`, "SECONDARY", `DERIVED\SECONDARY\AXIAL`}, {`ORIGINAL\PRIMARY`, "", `DERIVED\PRIMARY`},
		{"ORIGINAL", "", `DERIVED\PRIMARY`}, {"", "SECONDARY", `DERIVED\SECONDARY`},
	} {
		if got := string(derivedType([]byte(c.old), c.second)); got != c.want {
			t.Errorf("%q: %q, want %q", c.old, got, c.want)
		}
	}
	if joinWords("a", "b") != "a b" || joinWords("a", "") != "a" || joinWords("", "b") != "b" {
		t.Error("words are joined by one blank")
	}
}

// TestRecipeBlocks uses the first free block, the one that Quell has, or none if all are
// taken.
func TestRecipeBlocks(t *testing.T) {
	all := map[part10.Tag]string{}
	for n := part10.Tag(0x10); n <= 0xFF; n++ {
		all[recipeGroup<<16|n] = "OTHER"
	}
	lastFree := map[part10.Tag]string{}
	for n := part10.Tag(0x10); n < 0xFF; n++ {
		lastFree[recipeGroup<<16|n] = "OTHER"
	}
	for name, c := range map[string]struct {
		texts map[part10.Tag]string
		want  part10.Tag
	}{
		"none":           {nil, 0x19710010},
		"other group":    {map[part10.Tag]string{0x19730010: "OTHER"}, 0x19710010},
		"taken":          {map[part10.Tag]string{0x19710010: "OTHER"}, 0x19710011},
		"elements alone": {map[part10.Tag]string{0x19711001: "x"}, 0x19710011},
		"own":            {map[part10.Tag]string{0x19710010: "OTHER", 0x19710020: "QUELL "}, 0x19710020},
		"last":           {lastFree, 0x197100FF},
		"all":            {all, 0},
	} {
		s := textImage(c.texts)
		s.Encoding, s.Recipe = part10.ExplicitLE, []byte("{}")
		edits := s.recipeBlock()
		if c.want == 0 {
			if edits != nil {
				t.Errorf("%s: %v", name, edits[0].Tag)
			}
			continue
		}
		if len(edits) != 2 || edits[0].Tag != c.want || edits[1].Tag != recipeGroup<<16|c.want&0xFF<<8|1 {
			t.Errorf("%s: %v, want %v", name, edits, c.want)
		}
	}
}

// volumeOf returns a row of voxels.
func volumeOf(mask []bool, values ...float32) *volume.Volume {
	v := volume.New(volume.NewGeometry([3]int{len(values), 1, 1}, [3]float64{1, 1, 1}))
	copy(v.Data, values)
	v.Mask = mask
	return v
}

// TestQuantisation stores whole numbers as they are while 16 bits hold them, with one more
// value below the data for masked voxels.
func TestQuantisation(t *testing.T) {
	mask := []bool{true, true, false}
	for name, c := range map[string]struct {
		v         *volume.Volume
		signed    bool
		slope     float64
		intercept float64
		pad       int
	}{
		"unsigned":           {volumeOf(nil, 0, 65535), false, 1, 0, 0},
		"signed":             {volumeOf(nil, -32768, 32767), true, 1, 0, -32768},
		"too large":          {volumeOf(nil, 0, 65536), false, 65536.0 / 65535, 0, 0},
		"too large, signed":  {volumeOf(nil, -1, 32768), false, 32769.0 / 65535, -1, 0},
		"too low":            {volumeOf(nil, -32769, 0), false, 32769.0 / 65535, -32769, 0},
		"fractions":          {volumeOf(nil, 0, 0.5), false, 0.5 / 65535, 0, 0},
		"constant":           {volumeOf(nil, 0.5, 0.5), false, 1, 0.5, 0},
		"masked, unsigned":   {volumeOf(mask, 1, 65535, 0.5), false, 1, 0, 0},
		"masked, from 0 on":  {volumeOf(mask, 0, 32767, 0.5), true, 1, 0, -1},
		"masked, signed":     {volumeOf(mask, -32767, 5, 0), true, 1, 0, -32768},
		"masked, too low":    {volumeOf(mask, -32768, 5, 0), false, 32773.0 / 65534, -32768 - 32773.0/65534, 0},
		"masked, fractional": {volumeOf(mask, 0, 0.5, 0), false, 0.5 / 65534, -0.5 / 65534, 0},
	} {
		f := freshVoxels(t, c.v).quantisation()
		if f.Signed != c.signed || math.Abs(f.Slope/c.slope-1) > 1e-9 || math.Abs(f.Intercept-c.intercept) > 1e-6 || f.PadLow != c.pad || f.PadHigh != c.pad || f.Padding != (c.v.Mask != nil) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// freshVoxels returns the voxels of a volume without a DICOM source.
func freshVoxels(t *testing.T, v *volume.Volume) *Voxels {
	t.Helper()
	all := NewVoxels(t.TempDir(), v.Geometry, true)
	if err := all.Add(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestVoxelsInParts: parts decide what the whole does, wherever values, fractions and masks are; and what does
// not follow is refused.
func TestVoxelsInParts(t *testing.T) {
	for name, c := range map[string]struct{ masks, values [3][]float32 }{
		"plain":             {values: [3][]float32{{1, 2}, {5, 4}, {-3, 0}}},
		"a late fraction":   {values: [3][]float32{{1, 2}, {5, 4}, {3, 0.5}}},
		"an early fraction": {values: [3][]float32{{0.5, 2}, {5, 4}, {3, 0}}},
		"a late mask":       {values: [3][]float32{{1, 2}, {5, 4}, {3, 0.5}}, masks: [3][]float32{nil, nil, {1, 0}}},
		"an early mask":     {values: [3][]float32{{1, -9}, {5, 4}, {3, 7}}, masks: [3][]float32{{1, 0}, nil, nil}},
		"nothing at first":  {values: [3][]float32{{1, -9}, {5, 4}, {3, 7}}, masks: [3][]float32{{0, 0}, nil, nil}},
		"nothing at all":    {values: [3][]float32{{1, -9}, {5, 4}, {3, 7}}, masks: [3][]float32{{0, 0}, {0, 0}, {0, 0}}},
	} {
		whole := volume.New(volume.NewGeometry([3]int{2, 1, 3}, [3]float64{1, 1, 1}))
		parts := NewVoxels(t.TempDir(), whole.Geometry, true)
		for z := range 3 {
			part := volume.New(whole.Geometry.Crop(volume.Slices(whole.Geometry, z, z+1)))
			copy(part.Data, c.values[z])
			copy(whole.Plane(z), c.values[z])
			if c.masks[z] != nil {
				part.Mask = []bool{c.masks[z][0] == 1, c.masks[z][1] == 1}
				if whole.Mask == nil {
					whole.Mask = []bool{true, true, true, true, true, true}
				}
				copy(whole.Mask[2*z:], part.Mask)
			}
			if parts.Complete() {
				t.Errorf("%s: complete after %d slices", name, z)
			}
			if err := parts.Add(t.Context(), part); err != nil {
				t.Fatal(err)
			}
		}
		want := freshVoxels(t, whole)
		if !parts.Complete() || parts.quantisation() != want.quantisation() || !bytes.Equal(parts.gridKey(), want.gridKey()) || !bytes.Equal(parts.sum.Sum(nil), want.sum.Sum(nil)) {
			t.Errorf("%s: %+v; want %+v", name, parts.quantisation(), want.quantisation())
		}
		for z := range 3 {
			part, err := parts.Part(z, z+1)
			if err != nil || !slices.Equal(part.Data, whole.Plane(z)) || !slices.Equal(part.Mask, whole.PlaneMask(z)) {
				t.Errorf("%s: slice %d: %+v, %v", name, z, part, err)
			}
		}
		if err := parts.Add(t.Context(), whole.Crop(volume.Slices(whole.Geometry, 0, 1))); err == nil || !strings.Contains(err.Error(), "do not follow 3 of") {
			t.Errorf("%s: one more slice: %v", name, err)
		}
		if err := parts.Close(); err != nil {
			t.Error(err)
		}
	}
	wide := volumeOf(nil, 1, 2, 3)
	if err := NewVoxels(t.TempDir(), volumeOf(nil, 1, 2).Geometry, false).Add(t.Context(), wide); err == nil {
		t.Error("a slice of another size")
	}
	wide.Data = nil
	if err := NewVoxels(t.TempDir(), wide.Geometry, false).Add(t.Context(), wide); err == nil || !strings.Contains(err.Error(), "the voxels cannot be written") {
		t.Errorf("no values: %v", err)
	}
}

// TestCheckNew refuses what Secondary Captures cannot hold.
func TestCheckNew(t *testing.T) {
	for name, c := range map[string]struct {
		dims   [3]int
		change func(v *volume.Volume)
		c      pixel.Compression
		want   string
	}{
		"sound":      {[3]int{2, 2, 2}, nil, pixel.RLE, ""},
		"65535 wide": {[3]int{65535, 1, 1}, nil, "", ""},
		"65536 wide": {[3]int{65536, 1, 1}, nil, "", "more than DICOM allows"},
		"65536 high": {[3]int{1, 65536, 1}, nil, "", "slices of 1 x 65536 pixels"},
		"no voxels":  {[3]int{2, 2, 2}, func(v *volume.Volume) { v.Dims[2] = 0 }, "", "the volume cannot be written"},
		"sheared": {[3]int{2, 2, 2}, func(v *volume.Volume) {
			v.Geometry = volume.FromAffine(v.Dims, volume.Affine{{1, -1.1e-3, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}})
		}, "", "not perpendicular"},
		"rounded": {[3]int{2, 2, 2}, func(v *volume.Volume) {
			v.Geometry = volume.FromAffine(v.Dims, volume.Affine{{1, 0.9e-3, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}})
		}, "", ""},
	} {
		v := volume.New(volume.NewGeometry(c.dims, [3]float64{1, 1, 1}))
		if c.change != nil {
			c.change(v)
		}
		if err := CheckNew(v.Geometry); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestSliceFiles groups slices by file in the order of the files' first slices, and the
// slices of a file by frame.
func TestSliceFiles(t *testing.T) {
	got := SliceFiles([]series.Source{{Name: "b", Frame: 2}, {Name: "a", Frame: 0}, {Name: "b", Frame: 0}, {Name: "b", Frame: 1}})
	if fmt.Sprint(got) != "[[2 3 0] [1]]" {
		t.Errorf("%v", got)
	}
}

// TestWarnings counts what went wrong, and sorts warnings that come once.
func TestWarnings(t *testing.T) {
	s := &Series{Clipped: 1, plain: 2, replaced: map[part10.Tag]bool{0x00082112: true, 0x00080005: true}, identity: map[string]message.Message{"b": message.Verbatim("b"), "a": message.Verbatim("a")}}
	got := message.Join("|", s.Warnings()...).String()
	if want := "1 voxel is outside the range that the source's bits can store; clipped to its ends.|2 files are not compressed: big endian files and pixels of 32 bits are written plainly.|" +
		"The sequence (0008,0005) of the source is of unknown type and was replaced.|The sequence (0008,2112) of the source is of unknown type and was replaced.|a|b"; got != want {
		t.Errorf("%s", got)
	}
	if got := (&Series{}).Warnings(); got != nil {
		t.Errorf("nothing happened: %q", got)
	}
}

// TestKeysOfUIDs depend on every frame, on the encoding unless it is the plain one, on the
// grid and on the mask.
func TestKeysOfUIDs(t *testing.T) {
	if got := string(sourceKey([]series.Source{{UID: "1", Frame: 2}, {UID: "3"}})); got != "1#2\n3#0\n" {
		t.Errorf("%q", got)
	}
	if n := len(encodingParts(part10.UIDExplicitLE, []byte("a"))); n != 1 {
		t.Errorf("explicit little endian adds %d parts", n-1)
	}
	if parts := encodingParts(part10.UIDRLE, []byte("a")); len(parts) != 2 || string(parts[1]) != part10.UIDRLE {
		t.Errorf("%q", parts)
	}
	gridKey := func(v *volume.Volume) []byte { return freshVoxels(t, v).gridKey() }
	plain := gridKey(volumeOf(nil, 1, 2))
	moved := volumeOf(nil, 1, 2)
	moved.Affine.SetColumn(3, volume.Vec{0, 0, 1})
	if bytes.Equal(plain, gridKey(moved)) || bytes.Equal(plain, gridKey(volumeOf([]bool{true, true}, 1, 2))) ||
		bytes.Equal(gridKey(volumeOf([]bool{true, false}, 1, 2)), gridKey(volumeOf([]bool{false, true}, 1, 2))) || !bytes.Equal(plain, gridKey(volumeOf(nil, 3, 4))) {
		t.Error("grids and masks are mixed up")
	}
	if a, b := freshVoxels(t, volumeOf(nil, 1, 2)).sum.Sum(nil), freshVoxels(t, volumeOf(nil, 2, 1)).sum.Sum(nil); bytes.Equal(a, b) {
		t.Errorf("hashes of other voxels: %x", a)
	}
}

// TestCodes names smoothing unless another derivation is given.
func TestCodes(t *testing.T) {
	other := part10.Code{Value: "1", Scheme: "2", Meaning: "3"}
	if (&Derived{}).code() != Smoothing || (&Derived{Code: other}).code() != other {
		t.Error("the code of the derivation is another")
	}
}
