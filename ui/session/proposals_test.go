package session_test

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"quell/app/run"
	"quell/denoise"
	"quell/internal/message"
	"quell/series"
	"quell/ui/session/desk"
	"quell/ui/session/preview"
)

// proposer proposes the Gaussian filter. While gate is set it waits for it, or for the end of the work.
type proposer struct {
	calls, ended atomic.Int32 // ended counts the calls whose context ended
	gate         chan struct{}
	err          error
	none         bool // there is no ground for a proposal
	filter       string

	counted func() // wakes the loop of the test after a count
}

func (p *proposer) propose(ctx context.Context, q run.ProposalRequest) (run.Proposal, error) {
	p.calls.Add(1)
	p.counted()
	if p.gate != nil {
		select {
		case <-p.gate:
		case <-ctx.Done():
			p.ended.Add(1)
			p.counted()
			return run.Proposal{}, ctx.Err()
		}
	}
	if p.none || p.err != nil {
		return run.Proposal{Why: message.Text("The noise is unknown.")}, p.err
	}
	filter := cmp.Or(p.filter, "gaussian")
	return run.Proposal{Filter: filter, Choices: []run.Choice{{Filter: filter, Dims: 2, Strength: 100}}, Facts: q.Facts}, nil
}

// proposing is a bench with a proposer, in a session whose user chose a filter earlier, or none.
func proposing(t *testing.T, p *proposer, filter string) *bench {
	t.Helper()
	t.Parallel()
	return newBenchWith(t, func(d *desk.Deps) {
		do := d.Do // the last function of the loop may have been queued before a count
		d.Propose, d.Filter, p.counted = p.propose, filter, func() { do(func() {}) }
	})
}

// proposed reports whether a proposal is known.
func (b *bench) proposed() bool { return b.Proposals.Now().Filter != "" }

// The proposal is found after the first picture, and taken as no step of the history while nothing was touched. It is
// no choice of the user: the next series takes its own.
func TestAProposalIsTakenWhileNothingIsTouched(t *testing.T) {
	p := &proposer{gate: make(chan struct{})}
	b := proposing(t, p, "")
	b.engine.holdPreviews()
	b.loop.until("the slice is being filtered", b.Preview.Running)
	if b.loop.drain(); p.calls.Load() != 0 || b.Proposals.Now().Finding {
		t.Error("the proposal delays the first picture")
	}
	b.engine.open()
	b.loop.until("a proposal is being found", func() bool { return b.Proposals.Now().Finding })
	if b.status() != preview.Slice {
		t.Error("it was begun before the picture was there")
	}
	close(p.gate)
	b.loop.until("it is found", b.proposed)
	if now := b.Proposals.Now(); !now.Taken || b.Tuning.Recipe().Filter != "gaussian" || len(now.Choices) != 1 {
		t.Errorf("%+v, recipe %v; want it taken", now, b.Tuning.Recipe())
	}
	b.settle()
	if len(b.memory) != 0 || b.Document().Edits().Worked() || p.calls.Load() != 1 {
		t.Errorf("%d recipes remembered, worked %v, %d calls; want no choice", len(b.memory), b.Document().Edits().Worked(), p.calls.Load())
	}
	if b.History.Undo(); b.Tuning.Recipe().Filter != "gaussian" {
		t.Error("undo brings the filter before the proposal back")
	}
	p.none = true
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return rampSeries(t), nil })
	b.settle()
	if now := b.Proposals.Now(); b.Tuning.Recipe().Filter != "nlm" || now.Filter != "" || now.Why.IsZero() || now.Taken {
		t.Errorf("%+v, recipe %v; want the first filter where none is proposed", now, b.Tuning.Recipe())
	}
}

// Whatever the user touches, the proposal is offered and changes nothing; taking it is one step of the history.
func TestAProposalIsOfferedAfterATouch(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		filter string
		touch  func(b *bench)
	}{
		"a filter chosen earlier": {"nlm", func(*bench) {}},
		"a value":                 {"", func(b *bench) { b.Tuning.Set(b.tuned(3), true) }},
		"a value and back": {"", func(b *bench) {
			b.Tuning.Set(b.tuned(3), true)
			b.History.Undo()
		}},
		"a slider that moves": {"", func(b *bench) { b.Tuning.Set(b.tuned(3), false) }},
		"the slice":           {"", func(b *bench) { b.State().Cut().Scroll(1) }},
		"the window":          {"", func(b *bench) { b.State().Windows.Drag(0.1, 0) }},
		"the run":             {"", func(b *bench) { b.Results.Apply() }},
	} {
		t.Run(name, func(t *testing.T) {
			p := &proposer{gate: make(chan struct{})}
			b := proposing(t, p, x.filter)
			b.loop.until("a proposal is being found", func() bool { return b.Proposals.Now().Finding })
			x.touch(b)
			before := b.Tuning.Recipe()
			undone, _ := b.Document().Edits().Present()
			close(p.gate)
			b.loop.until("it is found", b.proposed)
			b.settle()
			if now := b.Proposals.Now(); now.Taken || !b.Tuning.Recipe().Equal(before) {
				t.Fatalf("recipe %v after %v: it was taken", b.Tuning.Recipe(), before)
			}
			b.Proposals.Take()
			if now := b.Proposals.Now(); !now.Taken || b.Tuning.Recipe().Filter != "gaussian" || b.filter != "" {
				t.Errorf("recipe %v, the next series starts with %q; want the proposed one, and its own proposal", b.Tuning.Recipe(), b.filter)
			}
			b.Proposals.Take() // does nothing
			if b.History.Undo(); !b.Tuning.Recipe().Equal(undone.Recipe) {
				t.Errorf("undo returns to %v; want %v", b.Tuning.Recipe(), undone.Recipe)
			}
		})
	}
}

// A run that is asked for before the proposal is known has the filter that one asked for later has, even if the picture is
// moved meanwhile. A recipe that is chosen meanwhile ends the wait, and so does another series.
func TestARunWaitsForTheProposal(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		meanwhile func(b *bench)
		early     bool // it is asked for before the first picture is there
		none      bool
		want      string // of the run; "" for none
	}{
		"at once":           {func(*bench) {}, true, false, "gaussian"},
		"during the search": {func(*bench) {}, false, false, "gaussian"},
		"scrolled":          {func(b *bench) { b.State().Cut().Scroll(1) }, false, false, "gaussian"},
		"no proposal":       {func(*bench) {}, false, true, "nlm"},
		"a recipe chosen":   {func(b *bench) { b.Tuning.Set(b.tuned(3), true) }, false, false, ""},
		"a series opened": {func(b *bench) {
			b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return rampSeries(t), nil })
		}, false, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := &proposer{gate: make(chan struct{}), none: x.none}
			b := proposing(t, p, "")
			if !x.early {
				b.loop.until("a proposal is being found", func() bool { return b.Proposals.Now().Finding })
			}
			b.Proposals.Await(b.Results.Apply)
			if !b.Proposals.Now().Awaited || b.Tasks.Progress().Kind == desk.Applying {
				t.Fatalf("it does not wait: %+v", b.Proposals.Now())
			}
			x.meanwhile(b)
			close(p.gate)
			b.settle()
			got := ""
			if run := b.Results.Exportable(); run != nil {
				got = run.Recipe.Filter
			}
			if got != x.want || b.Proposals.Now().Awaited {
				t.Errorf("the run has the filter %q, %+v; want %q", got, b.Proposals.Now(), x.want)
			}
			if x.want != "" && b.Tuning.Recipe().Filter != x.want {
				t.Errorf("%s is shown after a run of %s", b.Tuning.Recipe().Filter, x.want)
			}
		})
	}
}

// A filter that is chosen in the place of the proposed one is that of the next series; a value of the proposed filter
// chooses no filter. Values that are carried over keep the filter, too.
func TestTheNextSeriesAfterAProposal(t *testing.T) {
	p := &proposer{}
	b := proposing(t, p, "")
	b.loop.until("it is found", b.proposed)
	b.Tuning.Set(b.Tuning.Recipe().With("sigma-spatial", denoise.Number(2)), true)
	if b.filter != "" {
		t.Errorf("a value of the proposed filter chooses %q", b.filter)
	}
	nlm, _ := denoise.NewRecipe("nlm", 2)
	b.Tuning.Set(nlm, true)
	b.Tuning.Set(b.Tuning.Recipe().With("patch-radius", denoise.Number(2)), true)
	if b.filter != "nlm" {
		t.Errorf("the next series starts with %q, want nlm", b.filter)
	}
	next := anotherBenchWith(t, p, b.memory)
	next.loop.until("it is found", next.proposed)
	if next.Tuning.Recipe().Filter != "nlm" || next.Proposals.Now().Taken {
		t.Errorf("recipe %v; want the values that the user chose", next.Tuning.Recipe())
	}
}

// anotherBenchWith has remembered recipes, and no chosen filter.
func anotherBenchWith(t *testing.T, p *proposer, memory map[string]denoise.Recipe) *bench {
	t.Helper()
	return newBenchWith(t, func(d *desk.Deps) {
		d.Propose, d.Remembered = p.propose, func() map[string]denoise.Recipe { return memory }
	})
}

// A proposal ends with its series: with other voxels, behind another series, and when it is closed. A series that is
// shown again finds it again.
func TestAProposalEndsWithItsSeries(t *testing.T) {
	p := &proposer{gate: make(chan struct{})}
	b := proposing(t, p, "nlm")
	b.loop.until("a proposal is being found", func() bool { return b.Proposals.Now().Finding })
	b.Tuning.Set(b.tuned(3), true) // so that the series stays open
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return rampSeries(t), nil })
	b.loop.until("that of the other series is being found", func() bool { return p.calls.Load() == 2 && p.ended.Load() == 1 })
	b.Documents.Show(0)
	if b.proposed() {
		t.Error("a proposal was kept that had ended")
	}
	b.loop.until("the first is found again", func() bool { return p.calls.Load() == 3 && p.ended.Load() == 2 })
	b.Documents.Close(0)
	b.loop.until("it ended", func() bool { return p.ended.Load() == 3 })
	close(p.gate)
	b.loop.until("that of the series left is found", b.proposed)
}

// After an error nothing is proposed and nothing is shown, and the search is not repeated until the noise changes.
func TestAProposalThatFails(t *testing.T) {
	p := &proposer{err: errors.New("out of order")}
	b := proposing(t, p, "")
	b.settle()
	if now := b.Proposals.Now(); now.Finding || now.Filter != "" || !now.Why.IsZero() || len(b.errors) != 0 || p.calls.Load() != 1 {
		t.Fatalf("%+v, errors %v, %d calls", now, b.errors, p.calls.Load())
	}
	p.err = nil
	facts, _ := b.Document().Facts()
	facts.Noise.Sigma *= 2
	b.Document().SetFacts(b.Series().Volume, facts)
	b.Tuning.Set(b.Tuning.Recipe(), true)
	if b.Proposals.Now().Filter != "" {
		t.Error("a proposal for other noise is told")
	}
	b.loop.until("it is found for other noise", b.proposed)
}
