package files

import "testing"

func TestUnpackedSizeLimits(t *testing.T) {
	for _, c := range []struct {
		packed, unpacked uint64
		refused          bool
	}{
		{0, 0, false},
		{0, ratioCountsFrom, false},
		{1, ratioCountsFrom + 1, true},
		{ratioCountsFrom, maxRatio*ratioCountsFrom + ratioCountsFrom - 1, true}, // over MaxUnpacked
		{1 << 25, maxRatio << 25, false},
		{1 << 25, (maxRatio + 1) << 25, true},
		{MaxUnpacked, MaxUnpacked, false},
		{MaxUnpacked, MaxUnpacked + 1, true},
	} {
		if problem := CheckUnpacked(c.packed, c.unpacked); (problem.String() != "") != c.refused {
			t.Errorf("%d bytes from %d: %q; want refused: %v", c.unpacked, c.packed, problem, c.refused)
		}
	}
}

func TestTextOfUnpackedSizes(t *testing.T) {
	for unpacked, want := range map[uint64]string{201 << 25: "unpacks to 201 times its size, which no image does", MaxUnpacked + 1: "unpacks to more than 64 GiB"} {
		if got := CheckUnpacked(1<<25, unpacked); got.String() != want {
			t.Errorf("%d bytes: %q, want %q", unpacked, got, want)
		}
	}
}
