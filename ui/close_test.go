package ui_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/app/engines"
	"quell/app/job"
	"quell/app/workbench"
	"quell/denoise"
	"quell/series"
	"quell/ui/command"
	"quell/ui/control"
	"quell/ui/session/desk"
	"quell/volume"
)

// waits loads a series that never arrives.
func waits(ctx context.Context) (*series.Series, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func mouseAt(x, y float32) *desktop.MouseEvent {
	e := &desktop.MouseEvent{}
	e.Position = fyne.NewPos(x, y)
	return e
}

func (b *bench) command(id string) command.Command {
	for _, c := range b.workbench.Commands() {
		if c.ID == id {
			return c
		}
	}
	b.t.Fatalf("there is no command %s", id)
	return command.Command{}
}

// question returns the text of the question that is open, "" if none is.
func (b *bench) question() string {
	top := b.canvas().Overlays().Top()
	if top == nil {
		return ""
	}
	text := ""
	for _, o := range test.LaidOutObjects(top) {
		if l, ok := o.(*widget.Label); ok {
			text += l.Text + "\n"
		}
	}
	return text
}

func (b *bench) tap(button string) {
	b.t.Helper()
	for _, o := range test.LaidOutObjects(b.canvas().Overlays().Top()) {
		if c, ok := o.(*control.Button); ok && c.Text == button {
			test.Tap(c)
			b.drain()
			return
		}
	}
	b.t.Fatalf("there is no button %q", button)
}

// Every way to close the series, or to change its voxels, asks before work is lost.
func TestWorkIsNotDiscardedWithoutAQuestion(t *testing.T) {
	for what, leave := range map[string]func(b *bench){
		"close":     func(b *bench) { b.command("close-series").Run() },
		"quit":      func(b *bench) { b.command("quit").Run() },
		"add noise": func(b *bench) { b.command("add-noise").Run(); b.tap("Add") },
	} {
		t.Run(what, func(t *testing.T) {
			b := newBench(t, large)
			b.session().Results.Apply()
			b.until("the volume is filtered", b.session().Results.Applied)
			before, run := b.session().Series(), b.session().Results.Exportable()

			leave(b)
			if !strings.Contains(b.question(), "has not been exported") {
				t.Fatalf("the question is %q", b.question())
			}
			b.press(fyne.KeyReturn) // the safe answer has the focus
			if b.question() != "" || b.session().Series() != before || b.session().Results.Exportable() != run || b.session().Tasks.Busy() {
				t.Fatal("Return did not keep everything as it was")
			}
			leave(b)
			leave(b) // asks once
			if n := len(b.canvas().Overlays().List()); what != "add noise" && n != 1 {
				t.Errorf("%d questions are open", n)
			}
			b.tap("Discard")
			if what == "quit" {
				return // newBench's cleanup closes the session again
			}
			b.until("the series is replaced", func() bool { return b.session().Series() != before })
			if len(b.session().Documents.Loss()) > 0 {
				t.Error("after the answer there is still something to lose")
			}
		})
	}
}

func TestTheQuestionNamesWhatIsLost(t *testing.T) {
	b := newBench(t, large)
	b.session().Results.Apply()
	b.workbench.Quit()
	if !strings.HasPrefix(b.question(), "The filter is being applied to “bundled series”.") {
		t.Errorf("during a run the question is %q", b.question())
	}
	b.press(fyne.KeyEscape)
	b.until("the run was not stopped by the question", b.session().Results.Applied)

	b.session().Exports.Write(filepath.Join(t.TempDir(), "out.nii.gz"), job.Options{}, func(job.Written) {})
	b.workbench.Quit()
	if !strings.HasPrefix(b.question(), "The export of “bundled series” is being written.") {
		t.Errorf("during an export the question is %q", b.question())
	}
	b.press(fyne.KeyEscape)
	b.until("the export is done", func() bool { return !b.session().Tasks.Busy() })
	b.workbench.Quit()
	if b.question() != "" {
		t.Errorf("with nothing to lose the question is %q", b.question())
	}
}

// A run in progress stays the only one, whatever is pressed.
func TestApplyDuringARunDoesNothing(t *testing.T) {
	b := newBench(t, large)
	b.session().Results.Apply()
	for _, id := range []string{"apply", "export", "add-noise", "reference-file"} {
		if c := b.command(id); c.Enabled() {
			t.Errorf("%s is enabled during a run", id)
		}
	}
	if b.session().Tasks.Progress().Kind != desk.Applying {
		t.Errorf("progress %+v; want the run", b.session().Tasks.Progress())
	}
}

// A signal leads to Close: no question, settings saved, nothing left half
// written.
func TestCloseSavesAndLeavesNothingHalfWritten(t *testing.T) {
	b := newBench(t, large)
	b.session().Results.Apply()
	b.until("the volume is filtered", b.session().Results.Applied)
	changed := b.session().Tuning.Recipe()
	changed.Dims = 2
	b.session().Tuning.Set(changed, true)
	dir := t.TempDir()
	b.session().Exports.Write(filepath.Join(dir, "series"), job.Options{}, func(job.Written) {})
	b.workbench.Close()
	b.workbench.Close() // the second has no effect
	if b.question() != "" {
		t.Errorf("Close asked %q", b.question())
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		// An export that was faster than the cancel is complete, with its recipe.
		if e.Name() != "series" && e.Name() != "series.recipe.json" {
			t.Errorf("%s is left behind", e.Name())
		}
	}
	saved := workbench.LoadSettings(b.settingsPath)
	if r, ok := saved.Recipes[changed.Filter]; !ok || r.Dims != 2 {
		t.Errorf("saved recipes %v; want the current one", saved.Recipes)
	}
	for len(b.queue) > 0 {
		(<-b.queue)() // late functions do nothing
	}
}

// stuck is an engine with runs over the whole volume that end when they are
// cancelled.
type stuck struct{ denoise.Engine }

// Run implements denoise.Engine.
func (e stuck) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, progress denoise.Progress) (*volume.Volume, error) {
	if region == in.Volume.Bounds() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return e.Engine.Run(ctx, r, in, region, progress)
}

// A run or an export of some length is not cancelled by one key.
func TestEscapeAsksBeforeItCancelsLongWork(t *testing.T) {
	b := newBench(t, large)
	cpu, err := engines.Pick("cpu")
	if err != nil {
		t.Fatal(err)
	}
	b.session().SetEngine(stuck{cpu})
	// With a strength: the series has no noise that automatic values would follow.
	b.session().Tuning.Set(b.session().Tuning.Recipe().With("h", denoise.Number(5)), true)
	for ahead, asks := range map[time.Duration]bool{9 * time.Second: false, 20 * time.Second: true} {
		b.ahead.Store(0)
		b.session().Results.Apply()
		b.ahead.Store(int64(ahead))
		b.press(fyne.KeyEscape)
		if asked := strings.HasPrefix(b.question(), "The filter is being applied to “bundled series”."); asked != asks || b.session().Tasks.Busy() != asks {
			t.Fatalf("after %v the question is %q", ahead, b.question())
		}
		if asks {
			b.tap("Discard")
		}
		if b.session().Tasks.Busy() || b.question() != "" {
			t.Errorf("after %v the run was not cancelled", ahead)
		}
	}
	// Reading a series is begun again with ease.
	b.ahead.Store(0)
	b.session().Reader.OpenWith(waits)
	b.ahead.Store(int64(time.Hour))
	b.press(fyne.KeyEscape)
	if b.question() != "" || b.session().Tasks.Busy() {
		t.Errorf("for a series that is being read the question is %q", b.question())
	}
	// The question outlives the run.
	b.session().SetEngine(cpu)
	b.ahead.Store(0)
	b.session().Results.Apply()
	b.ahead.Store(int64(time.Minute))
	b.press(fyne.KeyEscape)
	b.until("the run ends while the question is open", func() bool { return !b.session().Tasks.Busy() })
	b.session().Reader.OpenWith(waits)
	b.tap("Discard")
	if !b.session().Tasks.Busy() {
		t.Error("the answer cancelled another task")
	}
}

// Finished runs are in the menu, and the one that would be lost is asked for.
func TestResultsAreInTheMenuAndNotLost(t *testing.T) {
	b := newBench(t, large)
	item := func() *fyne.MenuItem {
		for _, menu := range b.workbench.Menu().Items {
			for _, i := range menu.Items {
				if i.Label == "Results" {
					return i
				}
			}
		}
		t.Fatal("the menu Tools has no results")
		return nil
	}
	if !item().Disabled {
		t.Error("there are results before the first run")
	}
	apply := func(dims int) {
		r := b.session().Tuning.Recipe()
		r.Dims = dims
		b.session().Tuning.Set(r, true)
		b.command("apply").Run()
		b.until("the volume is filtered", b.session().Results.Applied)
		b.drain()
	}
	apply(2)
	apply(3)
	items := item().ChildMenu.Items
	if item().Disabled || len(items) != 2 || items[0].Checked || !items[1].Checked ||
		!strings.HasPrefix(items[0].Label, "Run 1: Non-local means 2-D") || !strings.HasSuffix(items[0].Label, "(not exported)") {
		t.Fatalf("%d results", len(items))
	}
	items[0].Action()
	b.drain()
	if b.session().Tuning.Recipe().Dims != 2 || !b.session().Results.Applied() || !item().ChildMenu.Items[0].Checked {
		t.Error("the first result is not shown")
	}
	for _, radius := range []float64{1, 2, 4} {
		b.session().Tuning.Set(b.session().Tuning.Recipe().With("search-radius", denoise.Number(radius)), true)
		b.command("apply").Run()
		if b.question() != "" {
			break
		}
		b.until("the volume is filtered", b.session().Results.Applied)
	}
	if !strings.Contains(b.question(), "has not been exported") || b.session().Tasks.Busy() || len(b.session().Results.List()) != 4 {
		t.Fatalf("before a result is lost the question is %q", b.question())
	}
	b.tap("Discard")
	b.until("the volume is filtered", b.session().Results.Applied)
}

// A path need not be typed again after an export that failed or was cancelled; the next
// series does not get it.
func TestTheExportPathIsKeptUntilItIsWritten(t *testing.T) {
	b := newBench(t, large)
	b.session().Results.Apply()
	b.until("the volume is filtered", b.session().Results.Applied)
	path := filepath.Join(t.TempDir(), "mine.nii.gz")
	field := func() *control.Entry {
		t.Helper()
		b.command("export").Run()
		b.until("the dialog is open", func() bool { return b.canvas().Overlays().Top() != nil })
		for _, o := range test.LaidOutObjects(b.canvas().Overlays().Top()) {
			if e, ok := o.(*control.Entry); ok {
				return e
			}
		}
		t.Fatal("the export has no field for the path")
		return nil
	}
	field().SetText(path)
	b.tap("Export")
	written := func() bool { return strings.Contains(b.question(), "written and read back") }
	b.until("the export begins", func() bool { return b.canvas().Overlays().Top() == nil || written() })
	b.session().Tasks.Cancel()
	if written() { // before the panels were refreshed
		b.tap("Close")
	}
	if len(b.session().Documents.Loss()) > 0 { // the cancel came in time
		e := field()
		if e.Text != path {
			t.Errorf("after a cancel %q is suggested", e.Text)
		}
	} else {
		field().SetText(path)
	}
	b.tap("Export")
	b.until("the export is written", written)
	b.tap("Close")
	if e := field(); e.Text == path {
		t.Error("a path that was written is suggested again")
	}
}

// Ctrl+Q asks above a dialog as well, and once.
func TestQuitAboveADialog(t *testing.T) {
	b := newBench(t, large)
	b.session().Results.Apply()
	b.until("the volume is filtered", b.session().Results.Applied)
	b.command("add-noise").Run()
	quit := &desktop.CustomShortcut{KeyName: fyne.KeyQ, Modifier: fyne.KeyModifierShortcutDefault}
	for range 2 {
		b.shortcut(quit)
		b.drain()
	}
	if n := len(b.canvas().Overlays().List()); n != 2 || !strings.Contains(b.question(), "has not been exported") {
		t.Fatalf("%d dialogs, the question is %q", n, b.question())
	}
	b.tap("Keep working")
	if n := len(b.canvas().Overlays().List()); n != 1 {
		t.Errorf("%d dialogs after the answer; want the one before it", n)
	}
}
