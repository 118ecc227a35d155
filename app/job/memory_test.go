package job_test

import (
	"testing"

	"quell/app/job"
)

func TestSeriesMemoryIsAtLeastOneGigabyte(t *testing.T) {
	if n := job.SeriesMemory(); n < 1<<30 || n > 1<<46 {
		t.Errorf("%d bytes for open series", n)
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 kB", 1: "1 kB", 999_000: "999 kB", 1e6: "1 MB", 26_500_000: "26 MB", 1e9: "1.0 GB", 575e7: "5.8 GB"} {
		if got := job.Bytes(n); got != want {
			t.Errorf("%d bytes are %s; want %s", n, got, want)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"8GB": 8e9, "512MB": 512e6, "1.5 GiB": 3 << 29, "2KiB": 2048, "3MiB": 3 << 20, "1TiB": 1 << 40, "2TB": 2e12, "7kB": 7000, "1e9": 1e9, "1": 1} {
		if got, err := job.ParseSize(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "GB", "-1GB", "0", "NaN", "many", "1e30", "8XB"} {
		if _, err := job.ParseSize(text); job.ExitCode(err) != job.ExitUsage {
			t.Errorf("%q: %v", text, err)
		}
	}
	if n := job.DefaultMemory(); n < 1e8 {
		t.Errorf("the default is %d bytes", n)
	}
}
