package filterpanel

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"quell/app/run"
	"quell/internal/message"
	"quell/ui/session/proposals"
)

// The line says the gain of the proposed filter, and why there is none; a taken filter is not offered.
func TestProposalsInWords(t *testing.T) {
	test.NewTempApp(t)
	known := run.Proposal{Filter: "nlm", Gains: []run.FilterGain{
		{Filter: "nlm", Dims: 2, DB: 1.94, Known: true}, {Filter: "odct", Dims: 2, AtLeast: 1}, {Filter: "lpa", Dims: 2}, {Filter: "sadct", Dims: 2, DB: 1, Known: true},
		{Filter: "bilateral", Dims: 2, DB: 0.5, Known: true}, {Filter: "prinlm", Dims: 2, DB: 0.4, Known: true}, {Filter: "bnlm", Dims: 2, DB: 0.3, Known: true},
	}}
	for _, x := range []struct {
		name       string
		of         proposals.State
		filter     string
		text, help string
		offered    bool
	}{
		{"none yet", proposals.State{}, "", "", "", false},
		{"being found", proposals.State{Finding: true}, "", "Comparing what the filters would gain …", "sample", false},
		{"awaited", proposals.State{Finding: true, Awaited: true}, "", "The volume is filtered as soon as the filters are compared …", "sample", false},
		{"no ground", proposals.State{Proposal: run.Proposal{Why: message.Text("The noise is unknown.")}}, "", "No filter is proposed. The noise is unknown.", "The noise is unknown.", false},
		{"offered", proposals.State{Proposal: known}, "odct", "Non-local means: 1.9 dB expected", "Non-local means 1.9 dB, Overlapping DCT over 1 dB, Shape-adaptive DCT 1.0 dB, Bilateral 0.5 dB, Prefiltered non-local means 0.4 dB.", true},
		{"other values of it", proposals.State{Proposal: known}, "nlm", "Automatic values: 1.9 dB expected", "Non-local means 1.9 dB", true},
		{"taken", proposals.State{Proposal: known, Taken: true}, "nlm", "Proposed: 1.9 dB expected", "3 dB: to half", false},
	} {
		got := proposalOf(x.of, x.filter)
		if got.Text != x.text || got.Offered != x.offered || !strings.Contains(got.Help, x.help) {
			t.Errorf("%s: %+v", x.name, got)
		}
	}
}

// A click takes the offer. The line keeps its height when the offer comes and goes, and has its help.
func TestTheLineOfAProposal(t *testing.T) {
	o := newOwner(t, "nlm")
	takes := 0
	o.panel.hooks.Take = func() { takes++ }
	line := o.panel.proposal
	height := line.object.MinSize().Height
	if line.take.Visible() || line.said.Text != "" {
		t.Error("something is offered without a proposal")
	}
	o.snap.Proposal = Proposal{Text: "Overlapping DCT: 1.9 dB expected", Help: "The gains.", Offered: true}
	o.show()
	if !line.take.Visible() || line.said.Text != o.snap.Proposal.Text || line.object.MinSize().Height != height {
		t.Errorf("%q, offered %v, height %g after %g", line.said.Text, line.take.Visible(), line.object.MinSize().Height, height)
	}
	test.Tap(line.take)
	if line.take.OnHover(true); takes != 1 || o.panel.help.Text != "The gains." {
		t.Errorf("%d takes, help %q", takes, o.panel.help.Text)
	}
	o.snap.Proposal = Proposal{Text: "Proposed: 1.9 dB expected"}
	if o.show(); line.take.Visible() {
		t.Error("what is taken is offered")
	}
}
