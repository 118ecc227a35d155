package statusbar

import (
	"testing"

	_ "quell/internal/locale" // English
)

// The memory shown is that of the process; the series are named from 70 % of their limit on.
func TestMemoryText(t *testing.T) {
	for _, c := range []struct {
		process, used, limit int64
		want                 string
	}{
		{1_352_000_000, 314_000_000, 4_000_000_000, "memory 1.4 GB"},
		{374_999_999, 0, 4_000_000_000, "memory 370 MB"},
		{375_000_000, 2_800_000_000, 4_000_000_000, "memory 380 MB"},
		{5_000_000_000, 2_800_000_001, 4_000_000_000, "memory 5.0 GB, series 2.8 GB of 4.0 GB"},
	} {
		if got := memoryText(c.process, c.used, c.limit); got != c.want {
			t.Errorf("%d of %d in %d: %q; want %q", c.used, c.limit, c.process, got, c.want)
		}
	}
}
