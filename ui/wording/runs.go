package wording

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/denoise"
	"quell/denoise/tune"
	"quell/ui/language"
	"quell/ui/session"
	"quell/ui/session/results"
	"quell/ui/viewer"
)

// Recipe returns a recipe as a label with its automatic values as numbers:
// "nlm 3-D  h=21.3  patch-radius=1".
func Recipe(s *session.Session, r denoise.Recipe) string {
	f, err := denoise.FilterByName(r.Filter)
	if err != nil {
		return r.Filter
	}
	facts, known := s.Document().Facts()
	resolved := r
	if known {
		if found, err := r.Resolve(s.Series().Volume.Geometry, facts); err == nil {
			resolved = found
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d-D", r.Filter, r.Dims)
	for _, p := range f.Params {
		asked := r.Get(p.Name)
		if !p.Basic && asked.Equal(p.Default) {
			continue
		}
		v := resolved.Get(p.Name)
		text := language.Number(v.String())
		switch {
		case p.Unit == "value" && asked.IsAuto() && known && !v.IsAuto() && v.Float() <= facts.Negligible():
			text = "0"
		case p.Kind == denoise.Float && !v.IsAuto():
			text = Short(v.Float())
		case p.Kind == denoise.Ints:
			text = asked.String()
		}
		if p.Unit == "mm" {
			text += " mm"
		}
		fmt.Fprintf(&b, "  %s=%s", p.Name, text)
	}
	return b.String()
}

// Place names a place: "edges, x 120, y 88, z 5", counted from 1.
func Place(p tune.Place) string {
	return fmt.Sprintf(lang.L("%s, x %d, y %d, z %d"), lang.L(p.What), p.X+1, p.Y+1, p.Slice+1)
}

// Sides returns the permanent labels of the two sides of a comparison.
func Sides(s *session.Session) (names [2]string) {
	names = [2]string{lang.L(viewer.Original.String()), lang.L(viewer.Denoised.String())}
	_, based := s.Results.Base()
	for _, r := range s.Results.List() {
		if r.Base {
			names[0] = runName(r.Number)
		}
		if r.Shown && based {
			names[1] = runName(r.Number)
		}
	}
	return names
}

func runName(number int) string { return fmt.Sprintf(lang.L("RUN %d"), number) }

// Run names a run in a menu.
func Run(s *session.Session, r results.Listed) string {
	title := fmt.Sprintf(lang.L("Run %d: %s"), r.Number, Recipe(s, r.Run.Recipe))
	if !r.Exported {
		title += lang.L("  (not exported)")
	}
	return title
}

// Origin says which parameters have their values from an earlier series; "" for none.
func Origin(carried []string) string {
	if len(carried) == 0 {
		return ""
	}
	var labels []string
	for _, label := range carried {
		labels = append(labels, lang.L(label))
	}
	return fmt.Sprintf(lang.L("From an earlier series: %s. “Defaults” sets everything back."), strings.Join(labels, ", "))
}
