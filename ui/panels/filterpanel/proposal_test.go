package filterpanel

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"quell/app/run"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/ui/session/proposals"
)

// The line says the gain of the proposed filter, and why there is none; a taken filter is not offered.
func TestProposalsInWords(t *testing.T) {
	test.NewTempApp(t)
	removes := func(filter string, share float64) run.Choice {
		x := verdict.Share{Value: share, Low: share, High: share}
		return run.Choice{Filter: filter, Dims: 2, Strength: 40, Figures: verdict.Of(x, verdict.Share{Value: 0.9}, verdict.Share{Value: 0.9})}
	}
	known := run.Proposal{Filter: "nlm", Choices: []run.Choice{
		removes("nlm", 0.31), removes("odct", 0.3), removes("lpa", 0.2), removes("sadct", 0.19), removes("bilateral", 0.1), removes("prinlm", 0.05),
	}}
	for _, x := range []struct {
		name       string
		of         proposals.State
		filter     string
		text, help string
		offered    bool
	}{
		{"none yet", proposals.State{}, "", "", "", false},
		{"being found", proposals.State{Finding: true}, "", "Comparing the filters …", "homogeneous regions", false},
		{"awaited", proposals.State{Finding: true, Awaited: true}, "", "The volume is filtered as soon as the filters are compared …", "homogeneous regions", false},
		{"no ground", proposals.State{Proposal: run.Proposal{Why: message.Text("The noise is unknown.")}}, "", "No filter is proposed. The noise is unknown.", "The noise is unknown.", false},
		{"offered", proposals.State{Proposal: known}, "odct", "Non-local means: 31 % less noise at strength 40", "Overlapping DCT 30 %, LPA-ICI 20 %, Shape-adaptive DCT 19 %, Bilateral 10 %.", true},
		{"other values of it", proposals.State{Proposal: known}, "nlm", "Automatic values: 31 % less noise at strength 40", "keeps small objects and texture", true},
		{"taken", proposals.State{Proposal: known, Taken: true}, "nlm", "Proposed: 31 % less noise at strength 40", "keeps small objects and texture", false},
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
