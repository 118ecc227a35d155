package dicom

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/series"
)

// TestDuplicates has every slice with its own acquisition number
// and one position twice: the double is set aside, the volume stays whole.
func TestDuplicates(t *testing.T) {
	fakes := stack(5)
	for i, name := range []string{"a.dcm", "b.dcm", "c.dcm", "d.dcm", "e.dcm"} {
		fakes[name].with(tagAcquisitionNumber, fmt.Sprint(i))
	}
	fakes["again"] = newFake("999", 50, 3).with(tagInstanceNumber, "99").with(tagAcquisitionNumber, "17")
	fakes["copy"] = fakes["c.dcm"]
	c := scan(t, filesOf(fakes))
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
		t.Errorf("set aside: %v", files)
	}
}

// TestSetAside checks that what is not read is named with its reason, and that
// a series of nothing else has an entry that says so.
func TestSetAside(t *testing.T) {
	compressed := func() []byte {
		f := newFake("50", 900, 0)
		f.pixels = nil
		frag := appendElementHeader(nil, explicitLE, tagPixelData, "OB", undefinedLength)
		frag = appendItem(appendItem(frag, explicitLE, nil), explicitLE, []byte{1, 2, 3, 4})
		frag = appendElementHeader(frag, explicitLE, tagSequenceDelimitation, "", 0)
		f.with(tagPixelData, rawElement(frag))
		return append(appendFileMeta(nil, ctClass, "1.2.3.50", "1.2.840.10008.1.2.4.110", "x"), f.dataset()...)
	}
	for name, c := range map[string]struct {
		data []byte
		text []string
	}{
		"compressed":   {compressed(), []string{"JPEG XL Lossless", "1.2.840.10008.1.2.4.110"}},
		"colour":       {newFake("50", 900, 0).with(tagSamplesPerPixel, 3).with(tagPhotometricInterpretation, "RGB").file(), []string{"colour image (RGB)"}},
		"segmentation": {newFake("50", 900, 0).with(tagSOPClassUID, "1.2.840.10008.5.1.4.1.1.66.4").file(), []string{"no measured image (Segmentation Storage)"}},
		"mosaic":       {newFake("50", 900, 0).with(tagImageType, `ORIGINAL\PRIMARY\M\MOSAIC`).file(), []string{"mosaic"}},
		"palette":      {newFake("50", 900, 0).with(tagPhotometricInterpretation, "PALETTE COLOR").file(), []string{"PALETTE COLOR"}},
		"1 bit":        {newFake("50", 900, 0).with(tagBitsAllocated, 1).with(tagBitsStored, 1).with(tagHighBit, 0).file(), []string{"1 bits allocated"}},
		"bits":         {newFake("50", 900, 0).with(tagHighBit, 3).file(), []string{"contradict"}},
		"slope 0":      {newFake("50", 900, 0).with(tagRescaleSlope, "0").file(), []string{"slope is 0"}},
	} {
		files := filesOf(stack(3))
		files["odd.dcm"] = &fstest.MapFile{Data: c.data}
		e := scan(t, files).Entries[0]
		f := finding(t, e.Findings, series.Excluded)
		for _, text := range c.text {
			if !strings.Contains(f.Text, text) || !slices.Equal(f.Files, []string{"odd.dcm"}) || f.Severity != series.Refused {
				t.Errorf("%s: %v", name, f)
			}
		}
		if e.Slices != 3 || e.Err != nil {
			t.Errorf("%s: %d slices, %v", name, e.Slices, e.Err)
		}
		cat := scan(t, fstest.MapFS{"odd.dcm": {Data: c.data}})
		_, err := cat.Load(context.Background(), 0, nil)
		wantError(t, err, append(c.text, "odd.dcm: ")...)
	}
}

// TestOneUIDForAllSlices has a writer that gives every slice the same SOP Instance
// UID: they are different images, and none is dropped.
func TestOneUIDForAllSlices(t *testing.T) {
	c := scan(t, filesOf(seriesOf(heights(5, 0, 2), func(_ int, f *fake) { f.with(tagSOPInstanceUID, "1.2.3.4") })))
	if len(c.Entries) != 1 || c.Entries[0].Slices != 5 {
		t.Fatalf("entries %+v", c.Entries)
	}
	if f := finding(t, c.Entries[0].Findings, "identity"); f.Severity != series.Warning || len(f.Files) != 4 {
		t.Errorf("%v", f)
	}
}

// TestSeriesOfTwoStudies has one series UID in two studies, as copies with another
// patient's name have.
func TestSeriesOfTwoStudies(t *testing.T) {
	c := scan(t, filesOf(seriesOf(append(heights(3, 0, 2), heights(4, 100, 2)...), func(i int, f *fake) {
		f.with(tagStudyInstanceUID, []string{"1.2.3.1", "1.2.3.8"}[min(i/3, 1)])
	})))
	if len(c.Entries) != 2 || c.Entries[0].Slices+c.Entries[1].Slices != 7 {
		t.Fatalf("entries %+v", c.Entries)
	}
	for _, e := range c.Entries {
		finding(t, e.Findings, "study")
		if want := fmt.Sprintf("study %d of 2", e.Slices-2); e.Part != want || len(e.Findings) != 1 {
			t.Errorf("part %q, want %q; findings %v", e.Part, want, e.Findings)
		}
	}
}

// TestStudyOfEverySlice has slices of one series of which each says another study, as
// some writers make them, and one of them twice: they are one volume.
func TestStudyOfEverySlice(t *testing.T) {
	fakes := seriesOf(heights(4, 0, 2), func(i int, f *fake) { f.with(tagStudyInstanceUID, fmt.Sprintf("1.2.3.8.%d", i)) })
	files := filesOf(fakes)
	for _, f := range fakes {
		files["copy.dcm"] = &fstest.MapFile{Data: f.file()}
		break
	}
	c := scan(t, files)
	if len(c.Entries) != 1 || c.Entries[0].Slices != 4 {
		t.Fatalf("entries %+v", c.Entries)
	}
	finding(t, c.Entries[0].Findings, "study")
}

// TestWhatOneVolumeMixes reports slices of two frames of reference, values that a
// table would translate, and slices whose values mean the opposite of others'.
func TestWhatOneVolumeMixes(t *testing.T) {
	e := scan(t, filesOf(seriesOf(heights(4, 0, 2), func(i int, f *fake) {
		f.with(tagFrameOfReferenceUID, fmt.Sprintf("1.2.3.%d", i/2)).
			with(tagModalityLUTSequence, rawElement(appendSequence(nil, explicitLE, tagModalityLUTSequence))).
			with(tagPhotometricInterpretation, fmt.Sprintf("MONOCHROME%d", 1+i%2))
	}))).Entries[0]
	for _, kind := range []series.Kind{series.FrameOfReference, series.ModalityLUT, series.Mixed} {
		if f := finding(t, e.Findings, kind); f.Severity != series.Warning {
			t.Errorf("%v", f)
		}
	}
	if e.Slices != 4 {
		t.Errorf("%d slices", e.Slices)
	}
}

// TestBesideTheImages has what scanners put into a series and is no image, though it has
// an image's size: raw data, and an object of the maker's own. It is counted, and the
// series is whole. An image that has lost its pixels refuses the series.
func TestBesideTheImages(t *testing.T) {
	for class, other := range map[string]bool{
		"1.2.840.10008.5.1.4.1.1.66":      true, // Raw Data Storage
		"1.3.46.670589.11.0.0.12.2":       true, // private
		"1.2.840.10008.5.1.4.1.1.4":       false,
		"1.2.840.10008.5.1.4.1.1.4.99999": false, // newer than we are
	} {
		fakes := stack(3)
		fakes["raw"] = newFake("50", 900, 0).with(tagSOPClassUID, class)
		fakes["raw"].pixels = nil
		c := scan(t, filesOf(fakes))
		if !other {
			wantError(t, c.Entries[0].Err, "raw: ", "ends before its pixel data")
			continue
		}
		if f := finding(t, c.Findings, "no-image"); !slices.Equal(f.Files, []string{"raw"}) {
			t.Errorf("%s: %v", class, f)
		}
		if e := c.Entries[0]; len(c.Entries) != 1 || e.Err != nil || e.Slices != 3 {
			t.Errorf("%s: %d entries, %d slices, %v", class, len(c.Entries), e.Slices, e.Err)
		}
	}
}

// TestNumberedAnew has images written again under another series number, with the UIDs
// that they had: each number is a volume.
func TestNumberedAnew(t *testing.T) {
	fakes := stack(3)
	for i, z := range heights(3, 50, 2.5) {
		fakes[fmt.Sprint(i)] = newFake(fmt.Sprint(100+i), z, 1000).with(tagSeriesNumber, "8").with(tagInstanceNumber, fmt.Sprint(3-i))
	}
	c := scan(t, filesOf(fakes))
	var numbers, parts []string
	for _, e := range c.Entries {
		numbers, parts = append(numbers, e.Number), append(parts, e.Part)
	}
	if !slices.Equal(numbers, []string{"7", "8"}) || !slices.Equal(parts, []string{"series number 7", "series number 8"}) {
		t.Errorf("numbers %q, parts %q", numbers, parts)
	}
	finding(t, c.Entries[0].Findings, "identity")
}
