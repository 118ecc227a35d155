package filterpanel

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
	"quell/ui/language"
	"quell/ui/session/proposals"
	"quell/ui/wording"
)

// Proposal is what is said of the filter that removes most noise within the bounds.
type Proposal struct {
	Text    string // one line; "" for nothing
	Help    string // sentences
	Offered bool   // it can be taken
}

// moreChoices is how many filters besides the proposed one the help names.
const moreChoices = 4

// proposalOf puts the state of a proposal in words, beside the filter of the current recipe.
func proposalOf(s proposals.State, filter string) Proposal {
	switch {
	case s.Awaited:
		return Proposal{Text: lang.L("The volume is filtered as soon as the filters are compared …"), Help: lang.L("Each filter runs on homogeneous regions of this series.") + " " + lang.L("A filter that you choose meanwhile is not run by itself.")}
	case s.Finding:
		return Proposal{Text: lang.L("Comparing the filters …"), Help: lang.L("Each filter runs on homogeneous regions of this series.")}
	case s.Filter == "" && s.Why.IsZero():
		return Proposal{}
	case s.Filter == "":
		why := language.Of(s.Why)
		return Proposal{Text: lang.L("No filter is proposed.") + " " + why, Help: why}
	}
	best := s.Choices[0]
	removes := fmt.Sprintf(lang.L("%.0f %% less noise at strength %.0f"), 100*float64(best.NoiseRemoved), best.Strength)
	p := Proposal{Text: fmt.Sprintf(lang.L("Proposed: %s"), removes), Offered: !s.Taken, Help: language.Of(s.Sentence())}
	switch {
	case p.Offered && s.Filter == filter:
		p.Text = fmt.Sprintf(lang.L("Automatic values: %s"), removes)
	case p.Offered:
		p.Text = wording.Filter(s.Filter) + ": " + removes
	}
	var all []string
	for _, c := range s.Choices[1:] {
		if len(all) < moreChoices {
			all = append(all, fmt.Sprintf("%s %.0f %%", wording.Filter(c.Filter), 100*float64(c.NoiseRemoved)))
		}
	}
	if all != nil {
		p.Help += " " + fmt.Sprintf(lang.L("Others within the bounds: %s."), strings.Join(all, ", "))
	}
	return p
}

// proposalLine shows a proposal in one line, with the button that takes it.
type proposalLine struct {
	object fyne.CanvasObject
	said   *widget.Label
	take   *control.Button
}

// newProposalLine returns an empty line; hover is called when the pointer enters or leaves it.
func newProposalLine(take func(), hover func(o fyne.CanvasObject, in bool)) *proposalLine {
	l := &proposalLine{said: small(""), take: control.NewButton(lang.L("Take"), nil, take)}
	l.said.Wrapping, l.said.Truncation = fyne.TextWrapOff, fyne.TextTruncateEllipsis
	l.take.Importance = widget.LowImportance
	ground := canvas.NewRectangle(nil) // nothing moves down when the button comes
	ground.SetMinSize(fyne.NewSize(0, l.take.MinSize().Height))
	l.take.Hide()
	area := newHoverArea(container.NewBorder(nil, nil, nil, container.NewStack(ground, l.take), l.said), nil)
	area.hovered = func(in bool) { hover(area, in) }
	l.take.OnHover = area.hovered
	l.object = area
	return l
}

// show displays a proposal.
func (l *proposalLine) show(p Proposal) {
	setText(l.said, p.Text)
	if l.take.Hidden == p.Offered {
		l.take.Hidden = !p.Offered
		l.object.Refresh()
	}
}
