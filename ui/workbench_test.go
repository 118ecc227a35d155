package ui_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/test"

	"quell/app"
	"quell/app/engines"
	"quell/app/job"
	"quell/app/workbench"
	"quell/denoise"
	"quell/internal/message"
	"quell/internal/parallel"
	"quell/series"
	"quell/ui"
	"quell/ui/control"
	"quell/ui/host"
	"quell/ui/session"
	"quell/ui/session/desk"
	"quell/ui/session/preview"
	"quell/ui/viewer"
	"quell/volume"
)

// bench is the whole workbench with the real engine and without a display.
// Functions for the UI goroutine are queued until the test runs them.
type bench struct {
	t         *testing.T
	app       fyne.App
	workbench *ui.Workbench
	queue     chan func()
	ahead     atomic.Int64 // of the workbench's clock, ns

	settingsPath string
	engine       denoise.Engine

	interval time.Duration // of the newest ticker
	tickers  map[int]func()
}

// every stands for a ticker, which the test lets tick.
func (b *bench) every(interval time.Duration, f func()) (stop func()) {
	n := len(b.tickers)
	b.interval, b.tickers[n] = interval, f
	return func() { b.tickers[n] = nil }
}

// ticks returns what the newest ticker calls, nil if it was stopped.
func (b *bench) ticks() func() { return b.tickers[len(b.tickers)-1] }

// newBench shows a series in the layout 1×3 next to the column.
func newBench(t *testing.T, size fyne.Size) *bench {
	t.Helper()
	return newBenchWith(t, size, func(s *workbench.Settings) { s.Column = "shown" })
}

// newBenchWith is newBench with other settings.
func newBenchWith(t *testing.T, size fyne.Size, change func(*workbench.Settings)) *bench {
	t.Helper()
	software.NewCanvas().Capture() // sets the clock of Fyne's caches, as every picture of a window does
	b := &bench{t: t, app: test.NewTempApp(t), queue: make(chan func(), 1000), tickers: map[int]func(){}, settingsPath: filepath.Join(t.TempDir(), "settings.json")}
	engine, err := engines.Pick("cpu")
	if err != nil {
		t.Fatal(err)
	}
	b.engine = engine
	settings := workbench.DefaultSettings()
	settings.LeaveSlices = true // tests say when the engine runs
	settings.WorkbenchSize, settings.Layout = [2]float32{size.Width, size.Height}, "1×3"
	change(&settings)
	b.workbench = ui.New(b.app, host.Options{
		Settings: settings, SettingsPath: b.settingsPath, Engine: engine,
		Bundled: func(context.Context) (*series.Series, error) { return head(), nil },
		Go:      func(f func()) { go f() }, Do: func(f func()) { b.queue <- f },
		Now:   func() time.Time { return time.Now().Add(time.Duration(b.ahead.Load())) },
		Every: b.every,
	})
	t.Cleanup(func() { b.workbench.Session().Close() })
	b.workbench.OpenBundled()
	b.until("the first slice is filtered and drawn", func() bool {
		p := b.session().Screen.Picture()
		return b.status() == preview.Slice && p != nil && p.After != nil
	})
	return b
}

// head is a small CT-like series with noise: air, a ring of bone, tissue.
func head() *series.Series {
	v := volume.New(volume.NewGeometry([3]int{40, 36, 7}, [3]float64{0.5, 0.5, 5}))
	v.Unit = "HU"
	noise := rand.New(rand.NewPCG(1, 1))
	for i := range v.Data {
		x, y := float64(i%40)-20, float64(i/40%36)-18
		switch r := x*x + y*y; {
		case r > 280:
			v.Data[i] = -1000
		case r > 220:
			v.Data[i] = 900
		default:
			v.Data[i] = 35
		}
		v.Data[i] += float32(15 * noise.NormFloat64())
	}
	return &series.Series{
		Meta:     series.Meta{Format: "test", Modality: "CT", Description: "HEAD", Windows: []volume.Window{{Center: 40, Width: 90}}},
		Volume:   v,
		Findings: []series.Finding{{Severity: series.Warning, Kind: series.Gap, Text: message.Verbatim("A slice is missing.")}},
	}
}

func (b *bench) session() *session.Session { return b.workbench.Session() }

func (b *bench) state() *viewer.State { return b.session().State() }

func (b *bench) status() preview.Status {
	_, status, _ := b.session().Preview.Recipe()
	return status
}

func (b *bench) until(what string, ok func() bool) {
	b.t.Helper()
	for !ok() {
		select {
		case f := <-b.queue:
			f()
		case <-time.After(10 * time.Minute):
			b.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// drain runs the functions that are queued now, and waits for pictures that are drawn, with which panels
// are refreshed.
func (b *bench) drain() {
	for {
		select {
		case f := <-b.queue:
			f()
		default:
			if !b.session().Screen.Drawing() {
				return
			}
			(<-b.queue)()
		}
	}
}

func (b *bench) canvas() fyne.Canvas { return b.workbench.Canvas() }

func (b *bench) key(name fyne.KeyName) {
	b.canvas().OnTypedKey()(&fyne.KeyEvent{Name: name})
	b.drain()
}

func init() {
	control.Shortcuts = func(c fyne.Canvas) (fyne.Shortcutable, bool) {
		s, ok := reflect.ValueOf(c).Elem().FieldByName("WindowlessCanvas").Interface().(fyne.Shortcutable)
		return s, ok
	}
}

// shortcut types a shortcut on the canvas.
func (b *bench) shortcut(s fyne.Shortcut) {
	b.t.Helper()
	takes, ok := control.Shortcuts(b.canvas())
	if !ok {
		b.t.Fatal("the canvas takes no shortcuts")
	}
	takes.TypedShortcut(s)
}

var large = fyne.NewSize(1280, 800)

func TestKeysDriveTheView(t *testing.T) {
	b := newBench(t, large)
	s := b.state()
	steps := []struct {
		key  fyne.KeyName
		what string
		ok   func() bool
	}{
		{fyne.KeyDown, "the next slice", func() bool { return s.Cut().Index() == 4 }},
		{fyne.KeyPageUp, "the slice before", func() bool { return s.Cut().Index() == 3 }},
		{fyne.KeyEnd, "the last slice", func() bool { return s.Cut().Index() == 6 }},
		{fyne.KeyHome, "the first slice", func() bool { return s.Cut().Index() == 0 }},
		{fyne.Key2, "the brain window", func() bool { return s.Windows.Current().Width == 80 && s.Windows.Current().Center == 40 }},
		{fyne.Key7, "the lung window", func() bool { return s.Windows.Current().Width == 1500 && s.Windows.Current().Center == -600 }},
		{fyne.Key1, "the series' own window", func() bool { return s.Windows.Current().Width == 90 }},
		{fyne.Key0, "the automatic window", func() bool { return s.Windows.Current() == s.Windows.Automatic() }},
		{fyne.KeyN, "an inverted picture", s.Windows.Inverted},
		{fyne.KeyC, "the coronal plane", func() bool { return s.Cut().View().Plane == volume.Coronal }},
		{fyne.KeyS, "the sagittal plane", func() bool { return s.Cut().View().Plane == volume.Sagittal }},
		{fyne.KeyA, "the axial plane", func() bool { return s.Cut().View().Plane == volume.Axial }},
		{fyne.KeyI, "less text", func() bool { return s.Overlay() == viewer.OverlayMinimal }},
		{fyne.KeyR, "the view reset", func() bool { return !s.Windows.Inverted() && s.Windows.Current().Width == 90 }},
	}
	for _, step := range steps {
		b.key(step.key)
		if !step.ok() {
			t.Errorf("%s does not give %s", step.key, step.what)
		}
	}
	s.Cut().ZoomAt(4, 1, 1, 10, 10)
	b.key(fyne.KeyF)
	if s.Cut().Zoom() != 1 {
		t.Error("F does not fit the picture")
	}
}

func TestResidualAndColumnCanBeHidden(t *testing.T) {
	b := newBench(t, large)
	panes := b.workbench.Panes()
	wide := panes[viewer.Original].Size().Width
	b.key(fyne.KeyD)
	if slices.Contains(b.visible(), viewer.Residual) || panes[viewer.Original].Size().Width < wide*1.4 {
		t.Errorf("D does not hide the residual or enlarge the other panes (%g of %g)", panes[viewer.Original].Size().Width, wide)
	}
	b.key(fyne.KeyD)
	b.key(fyne.KeyP)
	if panes[viewer.Original].Size().Width < wide*1.2 {
		t.Error("P does not enlarge the pictures")
	}
	b.key(fyne.KeyP)
	panes[viewer.Denoised].DoubleTapped(nil)
	if !slices.Equal(b.visible(), []viewer.Role{viewer.Denoised}) {
		t.Error("a double click does not show its pane alone")
	}
	b.key(fyne.KeyEscape)
	for role, pane := range panes {
		if !pane.Visible() || pane.Size().Width != wide {
			t.Errorf("after Escape pane %d is not as it was", role)
		}
	}
}

func TestCaptionsShowTheStateOfTheResult(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	denoised := b.workbench.Panes()[viewer.Denoised]
	volumewise := b.session().Tuning.Recipe().With("h", denoise.Number(20)) // the series' slices are too thick for 3-D by themselves
	volumewise.Dims = 3
	b.session().Tuning.Set(volumewise, true)
	b.until("badge and detail name the slice, the filter, its dimensions and its strength", func() bool {
		c := denoised.Caption()
		return c.Badge == "SLICE ONLY" && strings.HasPrefix(c.Detail, "Non-local means 3-D · strength 20 HU")
	})
	if got := denoised.Caption().Letters; got != [4]string{"R", "L", "A", "P"} {
		t.Errorf("letters %v", got)
	}
	b.session().Preview.SetAuto(false) // a preview could be there before the next refresh
	b.session().Tuning.Set(b.session().Tuning.Recipe().With("h", denoise.Number(40)), false)
	b.until("the badge says that the picture is stale", func() bool { return strings.HasPrefix(denoised.Caption().Badge, "STALE") })
	b.session().Preview.Start()
	b.until("the newer one is there", func() bool { return denoised.Caption().Badge == "SLICE ONLY" })
	b.session().Results.Apply()
	b.until("the volume is filtered", func() bool { return denoised.Caption().Badge == "WHOLE VOLUME" })
	b.state().Cut().SetIndex(1)
	b.until("every slice shows it", func() bool {
		return b.session().Screen.Picture().Index == 1 && denoised.Caption().Badge == "WHOLE VOLUME"
	})
	// The same filter and strength in another dimensionality is another recipe.
	slicewise := b.session().Tuning.Recipe()
	slicewise.Dims = 2
	b.session().Tuning.Set(slicewise, true)
	b.until("a 3-D result is stale for a 2-D recipe", func() bool { return denoised.Caption().Badge == "STALE" })
	if b.session().Results.Applied() || !strings.HasPrefix(denoised.Caption().Detail, "Non-local means 3-D") {
		t.Errorf("applied %v, detail %q; want the 3-D result named as what it is", b.session().Results.Applied(), denoised.Caption().Detail)
	}
	b.session().Tuning.Set(b.session().Results.Exportable().Recipe, true)
	b.until("the recipe of the run is current again", func() bool { return denoised.Caption().Badge == "WHOLE VOLUME" })

	b.session().Screen.HoldBefore(true)
	b.until("the caption names the original", func() bool { return denoised.Caption().Badge == "SHOWING THE ORIGINAL" })
}

func TestProbeShowsAllPanes(t *testing.T) {
	b := newBench(t, large)
	b.state().Cut().PointAt(50, 50, 100, 100)
	b.drain()
	last := func(role viewer.Role) string { c := b.workbench.Panes()[role].Caption().Corner; return c[len(c)-1] }
	for role := range viewer.Roles {
		if !strings.HasSuffix(last(role), " HU") {
			t.Errorf("%v says %q under the pointer", role, last(role))
		}
	}
	if place := b.workbench.Panes()[viewer.Original].Caption().Place; !strings.HasSuffix(place, " mm") || !strings.HasPrefix(place, "L ") {
		t.Errorf("position %q; want the patient's coordinates", place)
	}
}

func TestDroppingOpens(t *testing.T) {
	b := newBench(t, large)
	path := filepath.Join(t.TempDir(), "Ärzte kopf.nii.gz")
	s := head()
	if _, err := app.DoOn(context.Background(), app.On{Series: s}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
		t.Fatal(err)
	}
	before := b.session().Series()
	b.workbench.Drop([]fyne.URI{storage.NewFileURI(path)})
	b.until("the dropped file is open", func() bool { return b.session().Series() != before })
	if got := b.session().Series().Volume.Dims; got != s.Volume.Dims {
		t.Errorf("dims %v; want %v", got, s.Volume.Dims)
	}
	if recent := b.workbench.Settings().RecentPaths; len(recent) != 1 || recent[0] != path {
		t.Errorf("recent series %v; want the one dropped", recent)
	}
	web, err := storage.ParseURI("https://example.org/head.zip")
	if err != nil {
		t.Fatal(err)
	}
	b.workbench.Drop([]fyne.URI{web})
	b.drain()
	if b.session().Tasks.Progress().Kind != desk.Idle {
		t.Error("a task was started for a web address")
	}
}

func TestErrorsAreDialogs(t *testing.T) {
	b := newBench(t, large)
	b.workbench.Open(filepath.Join(t.TempDir(), "missing"))
	b.until("a dialog is shown", func() bool { return b.canvas().Overlays().Top() != nil })
	index := b.state().Cut().Index()
	b.key(fyne.KeyDown)
	if b.state().Cut().Index() != index {
		t.Error("keys reach the pictures behind a dialog")
	}
	b.key(fyne.KeyEscape)
	if b.canvas().Overlays().Top() != nil {
		t.Error("Escape does not close the dialog")
	}
}

func TestEveryCommandRuns(t *testing.T) {
	b := newBench(t, large)
	b.session().Results.Apply()
	b.until("the volume is filtered", b.session().Results.Applied)
	for _, c := range b.workbench.Commands() {
		if c.Run == nil || c.ID == "quit" || c.ID == "fullscreen" {
			continue
		}
		if c.Enabled == nil || c.Enabled() {
			c.Run()
			b.drain()
		}
		for _, o := range b.canvas().Overlays().List() {
			b.canvas().Overlays().Remove(o)
		}
	}
}

func TestNothingIsClippedAtTheUsualSizes(t *testing.T) {
	for _, size := range []fyne.Size{{Width: 1280, Height: 800}, {Width: 1600, Height: 1000}, {Width: 1920, Height: 1080}} {
		b := newBench(t, size)
		content := b.canvas().Content()
		if m := content.MinSize(); m.Width > size.Width || m.Height > size.Height {
			t.Errorf("the content needs %v; there is %v", m, size)
		}
		panes := b.workbench.Panes()
		widths := []float32{panes[0].Size().Width, panes[1].Size().Width, panes[2].Size().Width}
		if slices.Max(widths) != slices.Min(widths) || widths[0] < 300 {
			t.Errorf("%v: panes are %v wide; want equal widths of at least 300", size, widths)
		}
	}
}

// A gesture waits for its pictures, but not for each of many events. The panels are refreshed with the pictures, so that one
// painting shows both.
func TestAGestureWaitsForItsPictures(t *testing.T) {
	b := newBench(t, large)
	b.drain()
	shown := func() int { return b.session().Screen.Picture().Index }
	b.state().Cut().Scroll(1)
	late := make(chan time.Time)
	b.session().Screen.Await(late)
	if shown() != b.state().Cut().Index() || b.session().Screen.Drawing() {
		t.Errorf("slice %d is shown; want %d", shown(), b.state().Cut().Index())
	}
	if want := fmt.Sprintf("Slice %d of ", shown()+1); !slices.ContainsFunc(b.texts(), func(s string) bool { return strings.HasPrefix(s, want) }) {
		t.Errorf("with the pictures, no panel shows %q", want)
	}
	for range 3 { // with a clock that stands still, the second and third do not wait
		b.workbench.AwaitFrames()
	}
	b.drain()
}

// Background work pauses from a gesture until its pictures are painted.
func TestTheBackgroundHoldsDuringAGesture(t *testing.T) {
	b := newBench(t, large)
	b.drain()
	steps := func(ctx context.Context) (n int) {
		_ = parallel.ForWorkers(ctx, 3, 1, func() func(int) error { // its error is that of ctx
			return func(int) error { n++; return nil }
		})
		return n
	}
	aside, begun := parallel.Sparing(t.Context(), 0), time.Now()
	b.workbench.AwaitFrames()
	waiting, stop := context.WithTimeout(aside, time.Millisecond)
	defer stop()
	if n := steps(waiting); n != 0 && time.Since(begun) < host.Painting {
		t.Errorf("%d steps were taken before the painting", n)
	}
	b.drain()
	if n := steps(aside); n != 3 {
		t.Errorf("%d of 3 steps were taken after it", n)
	}
}
