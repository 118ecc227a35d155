package open

import (
	"testing"

	"quell/app/apptest"
	"quell/series"
)

func TestConcealedPlacesKeepNumbersAlone(t *testing.T) {
	apptest.OwnConfig(t, t.TempDir())
	p, _ := NewPseudonyms()
	place := func(axis, value string) series.Place { return series.Place{{Axis: axis, Value: value}} }
	g := &series.Group{Places: []series.Place{place("b-value", "1000"), place("direction", `0.1\-1\0`), place("repeat", "2 of 3"), place("temporal position", "SMITH"), place("acquisition time", "101112.5")}}
	hidden := p.group(g)
	for i, stays := range []bool{true, true, true, false, false} {
		if got := hidden.Places[i][0].Value; got == g.Places[i][0].Value != stays {
			t.Errorf("%v became %q", g.Places[i], got)
		}
	}
	m := p.meta(series.Meta{Modality: "SMITH", Number: "7a", Description: "x", Patient: "y", Format: "DICOM"})
	if m.Modality+m.Number+m.Description+m.Patient != "" || m.Format != "DICOM" {
		t.Errorf("%+v", m)
	}
	if m = p.meta(series.Meta{Modality: "MR", Number: "7"}); m.Modality != "MR" || m.Number != "7" {
		t.Errorf("%+v", m)
	}
}
