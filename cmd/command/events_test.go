package command

import (
	"testing"

	"quell/app/job"
)

// TestBarOfEachStep: a step has one bar; its length follows the total.
func TestBarOfEachStep(t *testing.T) {
	var b bar
	b.clear()
	b.update(job.Reading, 1, 10)
	first := b.shown
	b.update(job.Reading, 2, 20)
	if b.shown != first || first.GetMax64() != 20 || b.step != job.Reading {
		t.Errorf("the second update of a step: bar of %d", b.shown.GetMax64())
	}
	b.update(job.Filtering, 1, 5)
	if b.shown == first || b.shown.GetMax64() != 5 || b.step != job.Filtering {
		t.Error("another step goes on with the first bar")
	}
	b.clear()
	if b.shown != nil {
		t.Error("the bar is still there")
	}
}
