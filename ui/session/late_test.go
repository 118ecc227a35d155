package session_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"quell/app"
	"quell/app/engines"
	"quell/app/job"
	"quell/denoise/noise"
	"quell/series"
	"quell/ui/session/desk"
	"quell/ui/session/documents"
	"quell/ui/session/measures"
	"quell/ui/viewer"
)

// An event makes the answers to what was asked before it late. task says that the question is a
// task, which ends when a series is opened and lets no noise be added meanwhile.
type event struct {
	name  string
	occur func(t *testing.T, b *bench, task bool)
}

var events = []event{
	{"closed", func(_ *testing.T, b *bench, _ bool) { b.Documents.Close(1) }},
	{"another is selected", func(_ *testing.T, b *bench, _ bool) { b.Documents.Show(0) }},
	{"another recipe", func(_ *testing.T, b *bench, _ bool) { b.Tuning.Set(b.tuned(9), true) }},
	{"other voxels", func(t *testing.T, b *bench, task bool) {
		if task {
			b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return scaled(t, 3), nil })
			b.loop.until("a third series is open", func() bool { return len(b.Documents.List()) == 3 })
			return
		}
		before := b.Series()
		b.Reader.AddNoise(job.AddedNoise{Model: noise.Gaussian, Sigma: 30, Seed: 2})
		b.loop.until("the noise is added", func() bool { return b.Series() != before })
	}},
}

// scaled is the ramp with another noise and other values, so that what belongs to it is known.
func scaled(t *testing.T, by float32) *series.Series {
	s := rampSeries(t)
	for i := range s.Volume.Data {
		s.Volume.Data[i] *= by
	}
	return s
}

// question is background work; its answer is for the document, the recipe and the voxels that it
// was asked for.
type question struct {
	name    string
	prepare func(b *bench) // before it; nil for nothing
	ask     func(t *testing.T, b *bench)
	task    bool
	differs string // the event after which an answer in time would show more
}

func questions(dir string) []question {
	return []question{
		{name: "a preview", ask: func(_ *testing.T, b *bench) { b.Tuning.Set(b.tuned(5), false) }},
		{name: "a frame and its measures", ask: func(_ *testing.T, b *bench) { b.State().Cut().Scroll(1) }},
		{name: "frames of the planes", prepare: func(b *bench) {
			for p := range b.planePanes {
				b.planePanes[p] = viewer.Pane{Width: 30, Height: 20}
			}
			b.Screen.Redraw()
		}, ask: func(_ *testing.T, b *bench) { b.State().In(0).Scroll(1) }},
		{name: "verdicts on slices", ask: func(_ *testing.T, b *bench) { b.Strip.Judge(true) }},
		{name: "numbers of a run", prepare: func(b *bench) { b.Results.Apply() }, ask: func(_ *testing.T, b *bench) { b.Reader.ClearReference() }},
		// A run of an earlier recipe is kept and not measured.
		{name: "a run", ask: func(_ *testing.T, b *bench) { b.Results.Apply() }, task: true, differs: "another recipe"},
		{name: "a run that fails", ask: func(_ *testing.T, b *bench) {
			b.engine.failWith(fmt.Errorf("%w: the device is gone", engines.ErrFailed))
			b.Results.Apply()
		}, task: true, differs: "another recipe"}, // the retry is one with the new recipe
		{name: "a noise map", ask: func(_ *testing.T, b *bench) { b.Noise.ToggleMap() }, task: true},
		{name: "a comparison of the filters", ask: func(_ *testing.T, b *bench) { b.Galleries.Compare() }, task: true},
		{name: "the best strength", prepare: func(b *bench) { b.engine.shrink = true }, ask: func(_ *testing.T, b *bench) { b.Strength.Find() }, task: true},
		{name: "added noise", ask: func(_ *testing.T, b *bench) {
			b.Reader.AddNoise(job.AddedNoise{Model: noise.Gaussian, Sigma: 12, Seed: 3})
		}, task: true},
		{name: "a reference", ask: func(t *testing.T, b *bench) {
			path := filepath.Join(dir, "reference.nii")
			if _, err := app.DoOn(t.Context(), app.On{Series: rampSeries(t)}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
				t.Fatal(err)
			}
			b.Reader.SetReference(path)
		}, task: true},
	}
}

// screen is what the session shows and knows of the document on the screen.
func screen(b *bench) string {
	measures := func(m measures.Numbers) string {
		return fmt.Sprint(m.Known, m.Current, m.Index, m.Err, m.ResidualSD, m.Change.MSE)
	}
	var judged []string
	for _, f := range b.Strip.Figures() {
		judged = append(judged, fmt.Sprint(f.Noise.Sigma, f.Verdict))
	}
	if b.Document() == nil {
		return fmt.Sprint("nothing of ", len(b.Documents.List()))
	}
	facts, known := b.Document().Facts()
	reference := float32(0)
	if ref := b.Document().Reference(); ref != nil {
		reference = ref.Volume.Data[0]
	}
	exhibits := -1
	if g := b.Galleries.Last(); g != nil {
		exhibits = len(g.Exhibits)
	}
	sum := func(f viewer.Frame) (n int) {
		if f.Image != nil {
			for i, p := range f.Image.Pix {
				n += (i%251 + 1) * int(p)
			}
		}
		return n
	}
	s := fmt.Sprintln("documents", len(b.Documents.List()), "voxels", b.Series().Volume.Data[0], "recipe", b.Tuning.Recipe(), "status", b.status(), "shift", b.shift(),
		"\nslice", measures(b.Measures.Slice()), "\nvolume", measures(b.Measures.Volume()), "\nresults", len(b.Results.List()),
		"map", b.Noise.Map() != nil, "curve", b.Strength.Curve() != nil, "gallery", exhibits, "sigma", facts.Noise.Sigma, known, "reference", reference,
		"busy", b.Tasks.Busy(), "previewing", b.Preview.Running(), "\nstrip", judged)
	for _, f := range b.frames {
		s += fmt.Sprint(sum(f), " ")
	}
	for _, f := range b.planeFrames {
		s += fmt.Sprint(sum(f), " ")
	}
	if p := b.Screen.Picture(); p != nil {
		s += fmt.Sprintln("\npicture of", p.Source == b.Series().Volume, p.Index)
	}
	return s
}

// after returns the shown state in the end if an event occurs before the answer to a question, or
// after it if that is in time.
func after(t *testing.T, q question, e event, late bool) string {
	b := anotherBench(t)
	b.settle()
	b.Tuning.Set(b.tuned(2), true)
	b.settle()
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return scaled(t, 2), nil })
	b.settle()
	b.Tuning.Set(b.tuned(7), true)
	b.settle()
	if len(b.Documents.List()) != 2 {
		t.Fatal("want two documents")
	}
	if q.prepare != nil {
		q.prepare(b)
		b.settle()
	}
	if late {
		gate := make(chan struct{})
		b.gate = gate
		b.engine.holdPreviews()
		q.ask(t, b)
		b.gate = nil
		e.occur(t, b, q.task)
		close(gate)
		b.engine.open()
	} else {
		q.ask(t, b)
		b.settle()
		e.occur(t, b, q.task)
	}
	b.settle()
	b.Strip.Judge(false)
	b.engine.failWith(nil)
	shown := screen(b)
	// What failed for one document is not repeated on another.
	b.engine.mu.Lock()
	runs := b.engine.runs
	b.engine.mu.Unlock()
	b.ContinueWith(b.engine)
	b.settle()
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	return shown + fmt.Sprintln("runs after another engine", b.engine.runs-runs)
}

// Every answer that comes after its document was closed or left, or after the recipe or the voxels
// were changed, leaves the shown state as if it had come in time.
func TestLateAnswersShowNothingOld(t *testing.T) {
	for _, q := range questions(t.TempDir()) {
		for _, e := range events {
			if q.differs == e.name {
				continue
			}
			t.Run(q.name+", "+e.name, func(t *testing.T) {
				t.Parallel()
				if want, got := after(t, q, e, false), after(t, q, e, true); got != want {
					t.Errorf("after a late answer the screen has\n%s\nand after one in time\n%s", got, want)
				}
			})
		}
	}
}

// A document that is closed while it is read again stays closed, and its files are released.
func TestADocumentClosedWhileItIsReadAgain(t *testing.T) {
	for _, late := range []string{"closed", "another is selected"} {
		paths := written(t, 3)
		b := newBenchWith(t, func(d *desk.Deps) { d.Memory = 1 })
		b.opens(paths...)
		away := slices.IndexFunc(b.Documents.List(), func(o documents.Listed) bool { return o.Away })
		if away < 0 {
			t.Fatal("no document is put away")
		}
		path, n := b.Documents.List()[away].Path, len(b.Documents.List())
		shown := b.Documents.Path()
		gate := make(chan struct{})
		b.gate = gate
		b.Documents.Show(away)
		b.gate = nil
		if late == "closed" {
			b.Documents.Close(away)
			n--
		} else {
			b.Documents.Show(slices.IndexFunc(b.Documents.List(), func(o documents.Listed) bool { return !o.Away && !o.Shown }))
		}
		close(gate)
		b.settle()
		if late == "closed" && (len(b.Documents.List()) != n || slices.ContainsFunc(b.Documents.List(), func(o documents.Listed) bool { return o.Path == path }) || b.Documents.Path() != shown) {
			t.Errorf("%s: %d documents, %s is shown", late, len(b.Documents.List()), b.Documents.Path())
		}
		if b.Tasks.Busy() || len(b.errors) > 0 {
			t.Errorf("%s: busy %v, errors %v", late, b.Tasks.Busy(), b.errors)
		}
	}
}
