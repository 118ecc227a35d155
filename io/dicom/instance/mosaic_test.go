package instance_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// TestMosaic cuts a mosaic into its slices, in both directions and from both forms of
// the Siemens header. The image position, (-10, -20, 5), belongs to an image of 12 x
// 9 pixels of 0.5 x 0.75 mm; a slice has 4 x 3.
func TestMosaic(t *testing.T) {
	for _, form := range []int{1, 2} {
		for normal, first := range map[string]int{`0.0\0.0\0.99999999`: 0, `0.0\0.0\-1.0`: 4} {
			c := dicomtest.Scan(t, dicomtest.OneFile(dicomtest.NewMosaic(form, normal)))
			if len(c.Entries) != 1 || c.Entries[0].Slices != 5 {
				t.Fatalf("%+v", c.Entries)
			}
			s := dicomtest.Load(t, c, 0)
			z := 5.0
			if first > 0 {
				z = 5 - 4*2.5
			}
			want := volume.Affine{{0.5, 0, 0, -10 + 0.5*4}, {0, 0.75, 0, -20 + 0.75*3}, {0, 0, 2.5, z}}
			if s.Volume.Affine != want || s.Volume.Dims != [3]int{4, 3, 5} {
				t.Errorf("form %d: %+v, want %v", form, s.Volume.Geometry, want)
			}
			for z := range 5 {
				tile := z
				if first > 0 {
					tile = 4 - z
				}
				for n, v := range s.Volume.Plane(z) {
					if v != float32(100*tile+n) {
						t.Fatalf("slice %d pixel %d is %g", z, n, v)
					}
				}
				if s.Sources[z].Frame != tile {
					t.Errorf("slice %d is tile %d, want %d", z, s.Sources[z].Frame, tile)
				}
			}
		}
	}
}

// TestMosaicFallbacks uses the number of slices outside the Siemens header, and the slice thickness if the
// spacing is not given, which is reported.
func TestMosaicFallbacks(t *testing.T) {
	f := dicomtest.NewMosaic(2, "").With(part10.TagSpacingBetweenSlices, nil).With(part10.TagSliceThickness, "2").
		With(part10.TagSiemensCSAImageHeader, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, part10.TagSiemensCSAImageHeader, "OB", dicomtest.CsaHeader(2, "SliceNormalVector", `0\0\1`)))).
		With(0x00190010, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, 0x00190010, "LO", []byte("SIEMENS MR HEADER ")))).
		With(part10.TagSiemensMosaicImages, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, part10.TagSiemensMosaicImages, "US", []byte{5, 0})))
	c := dicomtest.Scan(t, dicomtest.OneFile(f))
	if e := c.Entries[0]; e.Slices != 5 || e.Geometry.Spacing[2] != 2 {
		t.Errorf("%d slices, %v mm apart: %v", e.Slices, e.Geometry.Spacing[2], e.Err)
	}
	if f := dicomtest.Finding(t, c.Entries[0].Findings, "spacing"); f.Severity != series.Warning {
		t.Errorf("%v", f)
	}
}

func TestMosaicRefused(t *testing.T) {
	csa := func(pairs ...string) dicomtest.RawElement {
		return part10.AppendElement(nil, part10.ExplicitLE, part10.TagSiemensCSAImageHeader, "OB", dicomtest.CsaHeader(2, pairs...))
	}
	whole := csa("NumberOfImagesInMosaic", "5", "SliceNormalVector", `0\0\1`)
	for want, f := range map[string]*dicomtest.Fake{
		"does not say how many slices":     dicomtest.NewMosaic(2, "").With(part10.TagSiemensCSAImageHeader, nil),
		"how many slices there are and in": dicomtest.NewMosaic(2, "").With(part10.TagSiemensCSAImageHeader, csa("NumberOfImagesInMosaic", "5")),
		"does not fit its orientation":     dicomtest.NewMosaic(2, `0\1\0`),
		"17 slices do not fit its 12 x 9":  dicomtest.NewMosaic(2, "").With(part10.TagSiemensCSAImageHeader, csa("NumberOfImagesInMosaic", "17", "SliceNormalVector", `0\0\1`)),
		"its Siemens header is damaged":    dicomtest.NewMosaic(2, "").With(part10.TagSiemensCSAImageHeader, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, part10.TagSiemensCSAImageHeader, "OB", whole[12:200]))),
		"its position or slice spacing":    dicomtest.NewMosaic(2, `0\0\1`).With(part10.TagImagePositionPatient, nil),
		"it is a mosaic of several frames": dicomtest.NewMosaic(2, `0\0\1`).With(part10.TagRows, 3).With(part10.TagNumberOfFrames, "3"),
		"there are and in which direction": dicomtest.NewMosaic(2, "").With(part10.TagSiemensCSAImageHeader, csa("NumberOfImagesInMosaic", "1e9", "SliceNormalVector", `0\0\1`)),
	} {
		_, err := dicomtest.Scan(t, dicomtest.OneFile(f)).Load(context.Background(), 0, nil)
		dicomtest.WantError(t, err, "m.dcm: ", want, "; ")
	}
}

// TestMosaicExport writes the slices into their tiles; pixels of no tile keep the bits of the source.
func TestMosaicExport(t *testing.T) {
	dir, s := dicomtest.OnDisk(t, map[string]*dicomtest.Fake{"m.dcm": dicomtest.NewMosaic(2, `0\0\-1`)})
	result := s.Volume.Clone()
	for i := range result.Data {
		result.Data[i] += 1000
	}
	out := filepath.Join(t.TempDir(), "out")
	if r := dicomtest.Write(t, out, s, result); r.Files != 1 || len(r.Warnings) != 0 {
		t.Errorf("report %+v", r)
	}
	back := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(out)), 0)
	if back.Volume.Geometry != s.Volume.Geometry || !slices.Equal(back.Volume.Data, result.Data) {
		t.Error("the mosaic came back differently")
	}
	before, after := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, dir, "m.dcm")), dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(0)))
	if !bytes.Contains(after[part10.TagImageType], []byte(`DERIVED\SECONDARY\M\ND\MOSAIC`)) {
		t.Errorf("image type %q", after[part10.TagImageType])
	}
	was, is := before[part10.TagPixelData][12:], after[part10.TagPixelData][12:]
	for i := 0; i < len(was); i += 2 {
		v, w := int16(binary.LittleEndian.Uint16(was[i:])), int16(binary.LittleEndian.Uint16(is[i:]))
		if v == -1 && w != -1 || v != -1 && w != v+1000 {
			t.Fatalf("pixel %d was %d and is %d", i/2, v, w)
		}
	}
	part := *s
	part.Volume, part.Sources = s.Volume.Crop(volume.Slices(s.Volume.Geometry, 1, 3)), s.Sources[1:3]
	_, err := dicomtest.WriteAs(context.Background(), filepath.Join(t.TempDir(), "x"), &part, part.Volume, dicomtest.TestDerived, nil)
	dicomtest.WantError(t, err, "m.dcm: a run of slices cannot be cut out of a mosaic; export the whole volume")
}
