package app_test

import (
	"testing"

	"quell/app"
)

func TestSeriesMemoryIsAtLeastOneGigabyte(t *testing.T) {
	if n := app.SeriesMemory(); n < 1<<30 || n > 1<<46 {
		t.Errorf("%d bytes for open series", n)
	}
}
