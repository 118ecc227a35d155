package measurepanel

import (
	"fmt"
	"math"

	"fyne.io/fyne/v2/lang"

	"quell/app/judge"
	"quell/denoise/lesions"
	"quell/denoise/tune"
	"quell/ui/language"
	lesionstate "quell/ui/session/lesions"
)

// The part of the scale of the error on one side of the best, and the contrast at which the scale of visibility begins.
const (
	errorScale   = 0.5
	visibleScale = 0.5
)

// errorBar is the verdict on the error: how far the strength is from that of the least error, weaker to the left and stronger to
// the right. It is of the slice, or of the volume if the slice has no verdict of the present parameters.
func errorBar(s Snapshot) Bar {
	c, name := s.Slice, s.Name
	judged := func(c Column) bool { return c.Known && c.Current && c.Verdict != tune.Unknown && c.Verdict != "" }
	if !judged(c) && judged(s.Volume) {
		c, name = s.Volume, lang.L("Volume")
	}
	b := Bar{Title: lang.L("Error"), Figure: missing}
	if name != "" {
		b.Title = fmt.Sprintf(lang.L("Error, %s"), name)
	}
	if !judged(c) || c.Verdict == tune.Clean || math.IsNaN(c.Excess) {
		return b // the reason stands below
	}
	share := min(max(c.Excess, 0)/errorScale, 1)
	if c.Best > 1 { // a stronger filter would do better
		share = -share
	}
	good := tune.Tolerance / errorScale / 2
	b.Known, b.Center = true, true
	b.Value, b.From, b.To = 0.5+share/2, 0.5-good, 0.5+good
	b.Figure = fmt.Sprintf("+%.0f %%", 100*max(c.Excess, 0))
	b.Doubtful = c.Verdict != tune.Matched && c.Lost == 0 // a verdict that rests on more than the tolerance
	if c.Place != "" {
		b.Tapped = fmt.Sprintf(lang.L("Error above the least that this filter reaches; noise is left at the left, structure is lost at the right. Click: show %s"), c.Place)
	}
	return b
}

// visibleBar is the verdict on visibility: what the worst virtual lesion that was visible before keeps of its contrast or of
// its d'. An object of the series itself that lost more takes its place.
func visibleBar(s Snapshot, now lesionstate.State, lost float64) Bar {
	b := Bar{Title: lang.L("Visibility"), From: scaled(lesions.LeastKept), To: 1}
	shown := func(kept, lo, hi, least float64, figure string) {
		b.Known = true
		b.From, b.Value, b.Lo, b.Hi = scaled(least), scaled(kept), scaled(lo), scaled(hi)
		b.Figure, b.Doubtful = fmt.Sprintf(figure, 100*kept), lo < least && kept >= least
	}
	var worst *lesions.Row
	var verdict lesions.Visibility
	if now.Panel != nil {
		verdict = now.Panel.Usual().Visibility()
		worst = verdict.Worst
	}
	switch {
	case worst != nil && !(lost > 1-worst.Kept.Value):
		f := worst.Least()
		figure := "%.0f %%"
		if f.Contrast || f.Value >= f.Bound { // nothing decides against it
			f = lesions.Bounded{Value: worst.Kept.Value, Lo: worst.Kept.Lo, Hi: worst.Kept.Hi, Bound: lesions.LeastKept}
		} else {
			figure = "d′ %.0f %%"
		}
		shown(f.Value, f.Lo, f.Hi, f.Bound, figure)
		b.Doubtful = b.Doubtful || verdict.Verdict == lesions.Unclear
		b.Tapped = language.Of(verdict.Why) + " " + lang.L("Click: show such a lesion, before and after, and its place")
	case lost > 0:
		shown(1-lost, 1-lost, 1-lost, lesions.LeastKept, "%.0f %%")
		b.ofSeries = true
		b.Tapped = lang.L("Contrast that the object keeps which lost most. Click: show it")
	case now.Measuring:
		b.Figure = lang.L("being measured …")
	case now.Panel != nil:
		b.Figure, b.Tapped = lang.L("no lesion is visible before"), language.Of(verdict.Why)
	case !now.Problem.IsZero():
		b.Figure, b.Tapped = lang.L("cannot be known"), language.Of(now.Problem)
	case s.Slice.Known || s.Volume.Known:
		b.Figure, b.Tapped = lang.L("click to measure"), lang.L("What the filter leaves of virtual lesions is measured for these parameters, and for others from then on")
	default:
		b.Figure = missing
	}
	return b
}

// scaled places a share of contrast or d' on the scale.
func scaled(kept float64) float64 { return (kept - visibleScale) / (1 - visibleScale) }

// bars are the two parts of the verdict.
func bars(s Snapshot, now lesionstate.State) [2]Bar {
	lost := 0.0
	for _, c := range []Column{s.Slice, s.Volume} {
		if c.Known && c.Current {
			lost = max(lost, c.Lost)
		}
	}
	return [2]Bar{errorBar(s), visibleBar(s, now, lost)}
}

// judge sets the bars, and joins what is known of visibility to the verdicts on the present parameters, as reports and the
// command line do: a result in which an object fades that was visible before is over, whatever its error.
func (s *Snapshot) judge(now lesionstate.State) {
	s.Bars = bars(*s, now)
	if now.Panel == nil {
		return
	}
	v := now.Panel.Usual().Visibility()
	if v.Worst == nil {
		return
	}
	s.Seen = Seen{true, v.Worst.Kept, v.Why}
	for _, c := range []*Column{&s.Slice, &s.Volume} {
		if c.Known && c.Current {
			c.Verdict, c.Why = judge.Joined(c.Verdict, c.Why, v)
		}
	}
}
