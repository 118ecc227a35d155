package desk

import (
	"testing"
	"time"
)

func TestAmountsHaveTheirUnit(t *testing.T) {
	for _, c := range []struct {
		done, total, slices int64
		unit, want          string
	}{
		{3, 40, 0, "files", "3 of 40 files"},
		{2_000_000, 4_000_000, 0, "files", "2000000 of 4000000 files"},
		{0, 4_000_000, 8, "slices", "0 of 8 slices"},
		{499_999, 4_000_000, 8, "slices", "0 of 8 slices"},
		{500_000, 4_000_000, 8, "slices", "1 of 8 slices"},
		{4_000_000, 4_000_000, 8, "slices", "8 of 8 slices"},
	} {
		if got := (&Task{Done: c.done, Total: c.total, Slices: c.slices, Unit: c.unit}).amount(); got != c.want {
			t.Errorf("%q; want %q", got, c.want)
		}
	}
}

// TestTimeLeft pins when there is enough progress to judge by, and the units.
func TestTimeLeft(t *testing.T) {
	for _, c := range []struct {
		elapsed  time.Duration
		fraction float64
		want     string
	}{
		{499 * time.Millisecond, 0.5, ""},
		{500 * time.Millisecond, 0.5, "0.5 s left"},
		{10 * time.Second, 0.01, ""},
		{time.Second, 0.0101, "2 min left"},
		{10 * time.Second, 1, ""},
		{10 * time.Second, 1.5, ""},
		{9900 * time.Millisecond, 0.5, "9.9 s left"},
		{10 * time.Second, 0.5, "10 s left"},
		{89 * time.Second, 0.5, "89 s left"},
		{90 * time.Second, 0.5, "2 min left"},
		{60 * time.Second, 0.25, "3 min left"},
	} {
		got, ok := timeLeft(c.elapsed, c.fraction)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%v for %g: %q, %v; want %q", c.elapsed, c.fraction, got, ok, c.want)
		}
	}
}
