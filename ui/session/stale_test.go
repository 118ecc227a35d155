package session_test

import (
	"archive/zip"
	"context"
	"os"
	"path/filepath"
	"testing"

	"quell/app"
	"quell/app/job"
	"quell/app/open"
	"quell/denoise"
	"quell/series"
	"quell/ui/session/preview"
	"quell/volume"
)

// These tests deliver answers after the question has changed.

func TestAPreviewOfAnOlderRecipeIsDropped(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.Tuning.Set(b.tuned(5), false)
	b.Wait() // the preview of 5 is queued for the UI goroutine
	b.engine.holdPreviews()
	b.Tuning.Set(b.tuned(6), false)
	b.loop.drain()
	if !b.Preview.Running() || b.showsShift(5)() {
		t.Errorf("previewing %v, shift %g; want the preview of 5 dropped and that of 6 awaited", b.Preview.Running(), b.shift())
	}
	b.engine.open()
	b.settle()
	if b.Preview.Running() || !b.showsShift(6)() {
		t.Errorf("previewing %v, shift %g; want 6", b.Preview.Running(), b.shift())
	}
}

func TestAFrameOfThePreviousSeriesIsDropped(t *testing.T) {
	b := newBench(t)
	b.settle()
	next := rampSeries(t)
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return next, nil })
	b.Wait() // the new series is queued for the UI goroutine
	old := b.Series()
	b.State().Cut().Scroll(1)
	b.Wait() // and behind it a frame of the old one
	shown := 0
	b.framed = func(source *volume.Volume) {
		if b.Series() == next && source == old.Volume {
			shown++
		}
	}
	b.settle()
	if b.Series() != next || shown > 0 {
		t.Errorf("%d frames of the previous series were shown", shown)
	}
	if p := b.Screen.Picture(); p == nil || p.Source != next.Volume {
		t.Error("the picture on the screen is not of the new series")
	}
}

// holdMeasures shows the preview of a recipe; its measures wait until the channel
// that it returns is closed.
func (b *bench) holdMeasures(r denoise.Recipe) chan struct{} {
	b.settle()
	b.Tuning.Set(r, false)
	b.Wait()
	b.loop.drain() // the preview arrives
	b.Wait()       // its frame is queued
	gate := make(chan struct{})
	b.gate = gate
	b.loop.drain() // the frame is shown, and its measures wait
	b.gate = nil
	return gate
}

// The measures of the previous series end with it: neither its numbers nor the error of
// its cancelled computation is shown for the new one.
func TestMeasuresOfThePreviousSeriesAreDropped(t *testing.T) {
	b := newBench(t)
	gate := b.holdMeasures(b.tuned(5))
	next := rampSeries(t)
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return next, nil })
	b.loop.until("the new series has a preview", func() bool {
		p := b.Screen.Picture()
		return p != nil && p.Source == next.Volume && p.Residual != nil
	})
	if b.Measures.Slice().Known {
		t.Fatal("the slice is measured already")
	}
	close(gate)
	b.loop.until("the new series is measured", func() bool {
		m := b.Measures.Slice()
		if m.Err != nil {
			t.Fatalf("the panel shows the error of the previous series: %v", m.Err)
		}
		return m.Known
	})
}

func TestAnotherSeriesFreesThePreviews(t *testing.T) {
	b := newBench(t)
	b.settle()
	for range 3 {
		b.State().Cut().Scroll(1)
		b.settle()
	}
	if n := b.Preview.Kept(); n < 2 {
		t.Fatalf("%d previews are kept for scrolling back; want several", n)
	}
	next := rampSeries(t)
	b.Preview.SetAuto(false)
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return next, nil })
	b.settle()
	if n := b.Preview.Kept(); b.Series() != next || n != 0 {
		t.Errorf("%d previews of the previous series are kept", n)
	}
}

func TestPreviewsKeptForScrollingAreBounded(t *testing.T) {
	b := newBench(t)
	b.settle()
	for h := range 40 {
		b.Tuning.Set(b.tuned(float64(h+1)), false)
		b.settle()
	}
	if n := b.Preview.Kept(); n != 24 {
		t.Errorf("%d previews are kept; want the newest 24", n)
	}
}

// zippedSeries writes a zip that holds one NIfTI file.
func zippedSeries(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "ramp.nii")
	if _, err := app.DoOn(t.Context(), app.On{Series: rampSeries(t)}, job.Job{Output: job.Output{Path: file}}, job.Events{}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "ramp.zip")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(out)
	member, err := z.Create("ramp.nii")
	if err == nil {
		_, err = member.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A zip file that a cancelled scan has opened is closed: a file that stays open
// cannot be deleted on Windows, nor its medium ejected.
func TestACancelledScanClosesItsZip(t *testing.T) {
	b := newBench(t)
	b.settle()
	path := zippedSeries(t)
	var catalog *open.Catalog
	scanned, release := make(chan struct{}), make(chan struct{})
	b.scan = func(_ context.Context, path string) (*open.Catalog, error) {
		var err error
		catalog, err = open.Scan(context.Background(), path)
		close(scanned)
		<-release
		return catalog, err
	}
	b.Reader.Open(path)
	<-scanned
	if _, err := catalog.Load(t.Context(), catalog.Default, nil); err != nil {
		t.Fatalf("the zip cannot be read while it is open: %v", err)
	}
	b.Tasks.Cancel()
	close(release)
	b.settle()
	if _, err := catalog.Load(t.Context(), catalog.Default, nil); err == nil {
		t.Error("the zip file is still open after the scan was cancelled")
	}
	if len(b.errors) > 0 || len(b.opened) != 1 {
		t.Errorf("errors %v, opened %q; want the series as it was", b.errors, b.opened)
	}
}

// A zip that turns out to be open already is closed again, and so is one with its opening
// cancelled after the scan.
func TestAZipThatIsNotOpenedIsClosed(t *testing.T) {
	for _, cancel := range []bool{false, true} {
		b := anotherBench(t)
		b.settle()
		path := zippedSeries(t)
		b.opens(path)
		var catalog *open.Catalog
		b.scan = func(ctx context.Context, path string) (_ *open.Catalog, err error) {
			catalog, err = open.Scan(ctx, path)
			return catalog, err
		}
		b.Reader.Open(path)
		if cancel {
			b.Wait()
			gate := make(chan struct{})
			b.gate = gate
			b.loop.drain() // the scan has ended; its fingerprint waits at the gate
			b.gate = nil
			b.Tasks.Cancel()
			close(gate)
		}
		b.settle()
		if _, err := catalog.Load(t.Context(), catalog.Default, nil); err == nil || len(b.Documents.List()) != 1 {
			t.Errorf("cancelled %t: the zip is still open, or the series twice: %v", cancel, err)
		}
	}
}

// Facts of voxels that are no longer shown are not computed to the end. Slices
// that only the facts need are taken away here, so that reading them panics.
func TestFactsEndWithTheirSeries(t *testing.T) {
	b := newBench(t)
	b.settle()
	first, second := rampSeries(t), rampSeries(t)
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return first, nil })
	b.Wait()
	gate := make(chan struct{})
	b.gate = gate
	b.loop.drain() // shows the first series; its background work waits at the gate
	b.gate = nil
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return second, nil })
	b.loop.until("the second series is shown", func() bool { return b.Series() == second })
	first.Volume.Data = first.Volume.Data[:4*16*12]
	close(gate)
	b.settle()
	if len(b.panics) > 0 || len(b.errors) > 0 {
		t.Errorf("the voxels of the previous series were read: %v, %v", b.panics, b.errors)
	}
	if _, known := b.Document().Facts(); !known || b.status() != preview.Slice {
		t.Error("the new series has no facts or preview")
	}
}

// Numbers belong to the recipe that made the picture, not to the one that is set when
// they are asked for.
func TestMeasuresAreOfTheRecipeThatMadeThePicture(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.Tuning.Set(b.tuned(5), false)
	b.settle()
	if m := b.Measures.Slice(); !m.Known || !m.Current {
		t.Fatalf("known %v, current %v", m.Known, m.Current)
	}
	b.Preview.SetAuto(false)
	b.Tuning.Set(b.tuned(6), false)
	b.settle()
	if m := b.Measures.Slice(); !m.Known || m.Current {
		t.Errorf("known %v, current %v; want the numbers of 5, not current", m.Known, m.Current)
	}
	b.State().Cut().Scroll(1)
	b.settle()
	b.State().Cut().Scroll(-1) // the picture of 5 comes back, and is measured again
	b.settle()
	if m := b.Measures.Slice(); !m.Known || m.Current {
		t.Errorf("known %v, current %v after a return; want the numbers of 5, not current", m.Known, m.Current)
	}
	b.Tuning.Set(b.tuned(5), false)
	b.settle()
	if m := b.Measures.Slice(); !m.Known || !m.Current {
		t.Errorf("known %v, current %v; want the numbers of 5 current again", m.Known, m.Current)
	}
}

// A preview takes the cores from the numbers of the last picture, which are computed
// again if the preview does not come.
func TestAPreviewStopsMeasuring(t *testing.T) {
	b := newBench(t)
	gate := b.holdMeasures(b.tuned(5))
	b.engine.holdPreviews()
	b.Tuning.Set(b.tuned(6), false)
	close(gate)
	b.loop.until("the frame of the stale picture is there", func() bool { return b.status() == preview.Stale })
	for range 3 { // whatever is queued meanwhile
		b.loop.drain()
	}
	if m := b.Measures.Slice(); m.Known && m.Err != nil {
		t.Errorf("a cancelled measure is shown as the error %v", m.Err)
	}
	b.Tuning.Set(b.tuned(5), false) // its picture is still there
	b.engine.open()
	b.settle()
	if m := b.Measures.Slice(); !m.Known || !m.Current || !b.showsShift(5)() {
		t.Errorf("known %v, current %v; want the numbers of the picture that is back", m.Known, m.Current)
	}
}
