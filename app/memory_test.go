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

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 kB", 1: "1 kB", 999_000: "999 kB", 1e6: "1 MB", 26_500_000: "26 MB", 1e9: "1.0 GB", 575e7: "5.8 GB"} {
		if got := app.Bytes(n); got != want {
			t.Errorf("%d bytes are %s; want %s", n, got, want)
		}
	}
}
