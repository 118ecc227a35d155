package pacs_test

import (
	"os"
	"path/filepath"
	"testing"

	"quell/app/pacs"
)

// TestSpools: the folder of a process that was killed goes with the next spool, and no other.
func TestSpools(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	left := filepath.Join(temp, "quell-pacs-left")
	made := filepath.Join(temp, "quell-pacs-made") // without a lock yet
	for _, dir := range []string{left, made} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(left, "lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := pacs.NewSpool()
	if err != nil {
		t.Fatal(err)
	}
	second, err := pacs.NewSpool()
	if err != nil {
		t.Fatal(err)
	}
	a, err := first.Folder()
	if err != nil {
		t.Fatal(err)
	}
	b, err := first.Folder()
	if err != nil || a == b || !pacs.IsSpooled(a) || pacs.IsSpooled(temp) || pacs.IsSpooled(filepath.Join(temp, "x")) {
		t.Errorf("%s, %s, %v", a, b, err)
	}
	if all := names(t, temp); len(all) != 3 { // made, first, second
		t.Errorf("%v", all)
	}
	first.Close()
	second.Close()
	if all := names(t, temp); len(all) != 1 {
		t.Errorf("%v", all)
	}
}

func TestAsk(t *testing.T) {
	for ask, want := range map[pacs.Ask]map[string]string{
		{}:                   {},
		{Patient: " Mül "}:   {"PatientName": "Mül*"},
		{Patient: "M?ller"}:  {"PatientName": "M?ller"},
		{Date: "2026-01-31"}: {"StudyDate": "20260131"},
		{Date: "20260101 to 2026-01-31", Modality: "CT", Description: "Abd", PatientID: "7"}: {
			"StudyDate": "20260101-20260131", "Modality": "CT", "SeriesDescription": "*Abd*", "PatientID": "7",
		},
	} {
		got, err := ask.Match()
		if err != nil || len(got) != len(want) {
			t.Errorf("%+v: %v, %v", ask, got, err)
		}
		for k, v := range want {
			if got[k] != v {
				t.Errorf("%+v: %s is %q, want %q", ask, k, got[k], v)
			}
		}
	}
	for _, date := range []string{"yesterday", "31.01.2026", "2026-01-01 2026-01-02 2026-01-03"} {
		if _, err := (pacs.Ask{Date: date}).Match(); err == nil {
			t.Errorf("%s is a date", date)
		}
	}
}
