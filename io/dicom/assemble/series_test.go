package assemble_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/series"
)

// TestDuplicates has one position twice: the duplicate is excluded and the volume is not split, although
// every slice has an acquisition number of its own.
func TestDuplicates(t *testing.T) {
	fakes := dicomtest.Stack(5)
	for i, name := range []string{"a.dcm", "b.dcm", "c.dcm", "d.dcm", "e.dcm"} {
		fakes[name].With(part10.TagAcquisitionNumber, fmt.Sprint(i))
	}
	fakes["again"] = dicomtest.NewFake("999", 50, 3).With(part10.TagInstanceNumber, "99").With(part10.TagAcquisitionNumber, "17")
	fakes["copy"] = fakes["c.dcm"]
	c := dicomtest.Scan(t, dicomtest.FilesOf(fakes))
	if len(c.Entries) != 1 || c.Entries[0].Slices != 5 {
		t.Fatalf("entries %+v", c.Entries)
	}
	var files []string
	for _, f := range c.Entries[0].Findings {
		if f.Kind != "duplicate" || f.Severity != series.Refused {
			t.Errorf("finding %v", f)
		}
		files = append(files, f.Files...)
	}
	slices.Sort(files)
	if !slices.Equal(files, []string{"again", "copy"}) {
		t.Errorf("excluded: %v", files)
	}
}

// TestExcluded excludes images that cannot be read and gives the reason; the others are loaded.
func TestExcluded(t *testing.T) {
	compressed := func() []byte {
		f := dicomtest.NewFake("50", 900, 0)
		f.Pixels = nil
		frag := part10.AppendElementHeader(nil, part10.ExplicitLE, part10.TagPixelData, "OB", part10.UndefinedLength)
		frag = part10.AppendItem(part10.AppendItem(frag, part10.ExplicitLE, nil), part10.ExplicitLE, []byte{1, 2, 3, 4})
		frag = part10.AppendElementHeader(frag, part10.ExplicitLE, part10.TagSequenceDelimitation, "", 0)
		f.With(part10.TagPixelData, dicomtest.RawElement(frag))
		return append(part10.AppendFileMeta(nil, dicomtest.CtClass, "1.2.3.50", "1.2.840.10008.1.2.4.110", "x"), f.Dataset()...)
	}
	for name, c := range map[string]struct {
		data []byte
		text []string
	}{
		"compressed":   {compressed(), []string{"JPEG XL Lossless", "1.2.840.10008.1.2.4.110"}},
		"colour":       {dicomtest.NewFake("50", 900, 0).With(part10.TagSamplesPerPixel, 3).With(part10.TagPhotometricInterpretation, "RGB").File(), []string{"colour image (RGB)"}},
		"segmentation": {dicomtest.NewFake("50", 900, 0).With(part10.TagSOPClassUID, "1.2.840.10008.5.1.4.1.1.66.4").File(), []string{"not a measured image (Segmentation Storage)"}},
		"mosaic":       {dicomtest.NewFake("50", 900, 0).With(part10.TagImageType, `ORIGINAL\PRIMARY\M\MOSAIC`).File(), []string{"mosaic"}},
		"palette":      {dicomtest.NewFake("50", 900, 0).With(part10.TagPhotometricInterpretation, "PALETTE COLOR").File(), []string{"PALETTE COLOR"}},
		"1 bit":        {dicomtest.NewFake("50", 900, 0).With(part10.TagBitsAllocated, 1).With(part10.TagBitsStored, 1).With(part10.TagHighBit, 0).File(), []string{"1 bits allocated"}},
		"bits":         {dicomtest.NewFake("50", 900, 0).With(part10.TagHighBit, 3).File(), []string{"contradict"}},
		"slope 0":      {dicomtest.NewFake("50", 900, 0).With(part10.TagRescaleSlope, "0").File(), []string{"slope is 0"}},
	} {
		files := dicomtest.FilesOf(dicomtest.Stack(3))
		files["odd.dcm"] = &fstest.MapFile{Data: c.data}
		e := dicomtest.Scan(t, files).Entries[0]
		f := dicomtest.Finding(t, e.Findings, series.Excluded)
		for _, text := range c.text {
			if !strings.Contains(f.Text.String(), text) || !slices.Equal(f.Files, []string{"odd.dcm"}) || f.Severity != series.Refused {
				t.Errorf("%s: %v", name, f)
			}
		}
		if e.Slices != 3 || e.Err != nil {
			t.Errorf("%s: %d slices, %v", name, e.Slices, e.Err)
		}
		cat := dicomtest.Scan(t, fstest.MapFS{"odd.dcm": {Data: c.data}})
		_, err := cat.Load(context.Background(), 0, nil)
		dicomtest.WantError(t, err, append(c.text, "odd.dcm: ")...)
	}
}

// TestOneUIDForAllSlices reads slices that all have the same SOP Instance UID.
func TestOneUIDForAllSlices(t *testing.T) {
	c := dicomtest.Scan(t, dicomtest.FilesOf(seriesOf(heights(5, 0, 2), func(_ int, f *dicomtest.Fake) { f.With(part10.TagSOPInstanceUID, "1.2.3.4") })))
	if len(c.Entries) != 1 || c.Entries[0].Slices != 5 {
		t.Fatalf("entries %+v", c.Entries)
	}
	if f := dicomtest.Finding(t, c.Entries[0].Findings, "identity"); f.Severity != series.Warning || len(f.Files) != 4 {
		t.Errorf("%v", f)
	}
}

// TestSeriesOfTwoStudies has one series UID in two studies, as copies with another patient have.
func TestSeriesOfTwoStudies(t *testing.T) {
	c := dicomtest.Scan(t, dicomtest.FilesOf(seriesOf(append(heights(3, 0, 2), heights(4, 100, 2)...), func(i int, f *dicomtest.Fake) {
		f.With(part10.TagStudyInstanceUID, []string{"1.2.3.1", "1.2.3.8"}[min(i/3, 1)])
	})))
	if len(c.Entries) != 2 || c.Entries[0].Slices+c.Entries[1].Slices != 7 {
		t.Fatalf("entries %+v", c.Entries)
	}
	for _, e := range c.Entries {
		dicomtest.Finding(t, e.Findings, "study")
		if want := fmt.Sprintf("study %d of 2", e.Slices-2); e.Part != want || len(e.Findings) != 1 {
			t.Errorf("part %q, want %q; findings %v", e.Part, want, e.Findings)
		}
	}
}

// TestStudyPerSlice has a study UID of its own in every slice of a series.
func TestStudyPerSlice(t *testing.T) {
	fakes := seriesOf(heights(4, 0, 2), func(i int, f *dicomtest.Fake) { f.With(part10.TagStudyInstanceUID, fmt.Sprintf("1.2.3.8.%d", i)) })
	files := dicomtest.FilesOf(fakes)
	for _, f := range fakes {
		files["copy.dcm"] = &fstest.MapFile{Data: f.File()}
		break
	}
	c := dicomtest.Scan(t, files)
	if len(c.Entries) != 1 || c.Entries[0].Slices != 4 {
		t.Fatalf("entries %+v", c.Entries)
	}
	dicomtest.Finding(t, c.Entries[0].Findings, "study")
}

// TestMixedVolume reports two frames of reference, a modality LUT, and inverted slices in one volume.
func TestMixedVolume(t *testing.T) {
	e := dicomtest.Scan(t, dicomtest.FilesOf(seriesOf(heights(4, 0, 2), func(i int, f *dicomtest.Fake) {
		f.With(part10.TagFrameOfReferenceUID, fmt.Sprintf("1.2.3.%d", i/2)).
			With(part10.TagModalityLUTSequence, dicomtest.RawElement(part10.AppendSequence(nil, part10.ExplicitLE, part10.TagModalityLUTSequence))).
			With(part10.TagPhotometricInterpretation, fmt.Sprintf("MONOCHROME%d", 1+i%2))
	}))).Entries[0]
	for _, kind := range []series.Kind{series.FrameOfReference, series.ModalityLUT, series.Mixed} {
		if f := dicomtest.Finding(t, e.Findings, kind); f.Severity != series.Warning {
			t.Errorf("%v", f)
		}
	}
	if e.Slices != 4 {
		t.Errorf("%d slices", e.Slices)
	}
}

// TestNonImagesInASeries has objects in a series that are no images although they have the size of one.
func TestNonImagesInASeries(t *testing.T) {
	for class, other := range map[string]bool{
		"1.2.840.10008.5.1.4.1.1.66":      true, // Raw Data Storage
		"1.3.46.670589.11.0.0.12.2":       true, // private
		"1.2.840.10008.5.1.4.1.1.4":       false,
		"1.2.840.10008.5.1.4.1.1.4.99999": false, // newer than we are
	} {
		fakes := dicomtest.Stack(3)
		fakes["raw"] = dicomtest.NewFake("50", 900, 0).With(part10.TagSOPClassUID, class)
		fakes["raw"].Pixels = nil
		c := dicomtest.Scan(t, dicomtest.FilesOf(fakes))
		if !other {
			dicomtest.WantError(t, c.Entries[0].Err, "raw: ", "ends before its pixel data")
			continue
		}
		if f := dicomtest.Finding(t, c.Findings, "no-image"); !slices.Equal(f.Files, []string{"raw"}) {
			t.Errorf("%s: %v", class, f)
		}
		if e := c.Entries[0]; len(c.Entries) != 1 || e.Err != nil || e.Slices != 3 {
			t.Errorf("%s: %d entries, %d slices, %v", class, len(c.Entries), e.Slices, e.Err)
		}
	}
}

// TestRenumberedSeries has copies of images under another series number with the UIDs of the originals.
func TestRenumberedSeries(t *testing.T) {
	fakes := dicomtest.Stack(3)
	for i, z := range heights(3, 50, 2.5) {
		fakes[fmt.Sprint(i)] = dicomtest.NewFake(fmt.Sprint(100+i), z, 1000).With(part10.TagSeriesNumber, "8").With(part10.TagInstanceNumber, fmt.Sprint(3-i))
	}
	c := dicomtest.Scan(t, dicomtest.FilesOf(fakes))
	var numbers, parts []string
	for _, e := range c.Entries {
		numbers, parts = append(numbers, e.Number), append(parts, e.Part)
	}
	if !slices.Equal(numbers, []string{"7", "8"}) || !slices.Equal(parts, []string{"series number 7", "series number 8"}) {
		t.Errorf("numbers %q, parts %q", numbers, parts)
	}
	dicomtest.Finding(t, c.Entries[0].Findings, "identity")
}
