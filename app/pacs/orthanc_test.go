package pacs_test

import (
	"context"
	"strings"
	"testing"

	"quell/app/pacs"
	"quell/io/dimse/dimsetest"
)

// TestOrthanc exchanges a series with an archive by others, by both protocols with the same calls.
func TestOrthanc(t *testing.T) {
	o := dimsetest.Orthanc(t, dimsetest.FreePort(t))
	t.Setenv("QUELL_TEST_SECRET", "user:pass")
	ctx := context.Background()
	for _, place := range []pacs.Place{
		{To: o.String()}, {To: o.Web, SignIn: pacs.SignIn{Way: "basic", Secret: "env:QUELL_TEST_SECRET"}},
	} {
		if err := pacs.Echo(ctx, place); err != nil {
			t.Fatal(err)
		}
		p := planSend(t)
		if r, err := pacs.Send(ctx, p, place, 0, nil); err != nil || r.Stored != 9 || r.Verified != 9 {
			t.Fatalf("%+v, %v", r, err)
		}
		a, err := place.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		conditions := map[string]string{"Modality": "CT", "PatientID": p.Objects[0].PatientID}
		for _, level := range []pacs.Level{pacs.Studies, pacs.Series} {
			if level == pacs.Studies {
				delete(conditions, "Modality")
			} else {
				conditions["Modality"] = "CT"
			}
			f, err := a.Search(ctx, pacs.Query{Level: level, Match: conditions, Most: 5})
			if err != nil || len(f.Rows) != 1 || f.More || f.Rows[0].Modality != "CT" || f.Rows[0].PatientID != p.Objects[0].PatientID || f.Rows[0].Instances != 9 {
				t.Fatalf("%s by %s: %+v, %v", level, place.Protocol(), f, err)
			}
		}
		r, err := a.Locate(ctx, p.Objects[0].StudyUID, p.Objects[0].SeriesUID)
		if err != nil {
			t.Fatal(err)
		}
		dir, middle := t.TempDir(), t.TempDir()
		if n, err := a.Fetch(ctx, r, dir, nil); n != 9 || err != nil {
			t.Errorf("%s: %d, %v", place.Protocol(), n, err)
		}
		if err := a.FetchMiddle(ctx, r, middle); err != nil || len(names(t, middle)) != 1 {
			t.Errorf("%s: %v", place.Protocol(), err)
		}
		if _, err := a.Locate(ctx, p.Objects[0].StudyUID, "1.2.3"); err == nil || !strings.Contains(err.Error(), "no such series") {
			t.Errorf("%s: %v", place.Protocol(), err)
		}
		if f, err := a.Search(ctx, pacs.Query{Level: pacs.Series, Match: map[string]string{"PatientID": "nobody"}, Most: 5}); err != nil || len(f.Rows) != 0 {
			t.Errorf("%s: %+v, %v", place.Protocol(), f, err)
		}
	}
}
