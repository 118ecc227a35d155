package measurepanel

import (
	"quell/app/judge"
	"quell/ui/language"
)

// bars are the figures by which a result is judged: of the slice, or of the volume if the slice has none of the present
// parameters.
func bars(s Snapshot) (all []Bar) {
	c := s.Slice
	if !(c.Known && c.Current) && s.Volume.Known && s.Volume.Current {
		c = s.Volume
	}
	for _, f := range judge.Listed(c.Measures) {
		if f.Unit != "%" {
			continue
		}
		b := Bar{Title: language.Of(f.Label), Figure: missing, From: f.Good, To: 1, Tapped: language.Of(f.Sentence)}
		if c.Known && f.Value == f.Value {
			b.Known, b.Value, b.Lo, b.Hi = true, f.Value, f.Low, f.High
			b.Figure = language.Number(f.Short())
			b.Doubtful = f.Low < f.Good && f.Value >= f.Good || f.High >= f.Good && f.Value < f.Good
		}
		all = append(all, b)
	}
	return all
}
