package wording

import (
	"testing"

	"quell/series"
	"quell/ui/session/documents"

	_ "quell/internal/locale" // English
)

// Series of one name are told apart by patient and date, else by their place in the list.
func TestSeriesOfOneNameAreToldApart(t *testing.T) {
	of := func(name, patient, date string) documents.Listed {
		return documents.Listed{Path: "/a", Name: name, Dims: [3]int{8, 8, 2}, Meta: series.Meta{Modality: "MR", Patient: patient, StudyDate: date}}
	}
	open := []documents.Listed{of("T1", "A", "20260102"), of("AX T2", "A", "20260102"), of("AX T2", "B", "20260102"), of("AX T2", "B", "20260102"), {}}
	for i, want := range []struct{ shown, hidden string }{
		{"T1", "MR 8 x 8 x 2 (1 of 5)"}, {"AX T2 · A · 2026-01-02", "MR 8 x 8 x 2 (2 of 5)"}, {"AX T2 (3 of 5)", "MR 8 x 8 x 2 (3 of 5)"},
		{"AX T2 (4 of 5)", "MR 8 x 8 x 2 (4 of 5)"}, {"bundled series", "bundled series"},
	} {
		if got := Distinct(open, i, false); got != want.shown {
			t.Errorf("series %d is %q; want %q", i, got, want.shown)
		}
		if got := Distinct(open, i, true); got != want.hidden {
			t.Errorf("series %d is %q with the identity hidden; want %q", i, got, want.hidden)
		}
	}
}
