package output

import (
	"testing"
	"time"

	"quell/app/apptest"
	"quell/app/run"
)

func TestRecordTime(t *testing.T) {
	now := time.Date(2024, 5, 6, 7, 8, 9, 999, time.UTC)
	if got := newRecord(apptest.Wavy(2, 2, 2), now).Time; !got.Equal(now.Truncate(time.Second)) {
		t.Errorf("time %v", got)
	}
	if got := newRecord(apptest.Wavy(2, 2, 2), time.Time{}).Time; got.IsZero() {
		t.Error("no time")
	}
}

// TestIdentity takes a hash that is looked for already, and none of another volume.
func TestIdentity(t *testing.T) {
	s, other := apptest.Wavy(2, 2, 2), apptest.Wavy(3, 2, 2)
	for what, found := range map[string]*run.VoxelHash{
		"none": nil, "of the source": {Of: s.Volume, Hash: func() string { return "known" }}, "of another": run.Identify(other.Volume),
	} {
		want := run.HashOf(s.Volume)
		if what == "of the source" {
			want = "known"
		}
		r := newRecord(s, time.Time{})
		r.found = found
		if r.identify()(); r.Source.SHA256 != want || r.found != nil {
			t.Errorf("%s: hash %s, want %s", what, r.Source.SHA256, want)
		}
	}
	id := run.Identify(s.Volume)
	for range 2 {
		if got := id.Hash(); got != run.HashOf(s.Volume) {
			t.Errorf("hash %s", got)
		}
	}
	(*Record)(nil).identify()()
	(&Record{}).identify()()
}
