package ui_test

import (
	"runtime"
	"testing"
	"time"

	"quell/ui/session/preview"
)

// The voxels of a series that was closed are held by nothing.
func TestAClosedSeriesIsNotHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.openFiles(2)
	b.until("the slice is measured", func() bool { return b.session().Measures.Slice().Current })
	b.session().Results.Apply()
	b.until("the volume is measured", func() bool { return b.session().Measures.Volume().Current })
	freed := make(chan string, 2)
	watch := func() {
		run := b.session().Results.Exportable()
		runtime.SetFinalizer(b.session().Series().Volume, func(any) { freed <- "series" })
		runtime.SetFinalizer(run.Result, func(any) { freed <- "result" })
	}
	watch()
	b.session().Documents.Close(1)
	b.until("the other series is shown", func() bool { return b.status() == preview.Slice && b.session().Measures.Slice().Current })
	b.session().Wait()
	b.drain()
	for range 2 {
		for i := 0; ; i++ {
			runtime.GC()
			select {
			case <-freed:
			case <-time.After(20 * time.Millisecond):
				if i < 50 {
					b.drain()
					continue
				}
				t.Fatal("the voxels are held after their series was closed")
			}
			break
		}
	}
}
