package output

import (
	"testing"

	"quell/app/run"
)

func TestDeidentifiedRecords(t *testing.T) {
	r := Record{NoiseMap: &run.MapRecord{From: "estimate", SHA256: "a"}, Mask: &run.MapRecord{From: "file", SHA256: "b"}}
	r.deidentify()
	if *r.NoiseMap != (run.MapRecord{From: "estimate"}) || *r.Mask != (run.MapRecord{From: "file"}) {
		t.Errorf("%+v and %+v beside a de-identified output", r.NoiseMap, r.Mask)
	}
	(&Record{}).deidentify()
}
