package wording

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/app/workbench"
	"quell/denoise"
	"quell/denoise/tune"
	"quell/series"
	"quell/ui/language"
	"quell/ui/session"
	"quell/ui/session/results"
	"quell/ui/viewer"
	"quell/volume"
)

// Recipe returns a recipe as a label in the words of the panel, with its automatic values as numbers: "Non-local means
// 3-D · strength 21.3 HU · patch radius 2 voxels". It names the strength, and what is not at its default.
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
	parts := []string{fmt.Sprintf("%s %d-D", lang.L(f.Title), r.Dims)}
	for _, p := range f.Params {
		asked, v := r.Get(p.Name), resolved.Get(p.Name)
		switch {
		case p.Mixes && !asked.Equal(p.Default):
			parts[0] += " " + fmt.Sprintf(lang.L("at %s"), language.Number(v.String())+" %")
		case p.Name == f.Strength.Param || !asked.Equal(p.Default):
			text := valueOf(p, asked, v)
			if p.Unit == "value" && asked.IsAuto() && known && !v.IsAuto() && v.Float() <= facts.Negligible() {
				text = "0"
			}
			parts = append(parts, paramLabel(p)+" "+withUnit(p, v, text, s.Series().Volume.Unit))
		}
	}
	return strings.Join(parts, " · ")
}

// paramLabel returns the label of a parameter as it stands within a sentence, without the letter of a formula.
func paramLabel(p denoise.Param) string {
	label := lang.L(p.Label)
	if label == p.Label { // other languages keep their capitals
		label = LowerFirst(label)
	}
	return strings.TrimSuffix(label, " h")
}

// valueOf writes a value: a choice in its words, a list as it was asked for.
func valueOf(p denoise.Param, asked, v denoise.Value) string {
	switch {
	case p.Kind == denoise.Choice:
		return lang.L(p.Word(v.String()))
	case p.Kind == denoise.Switch && v.On():
		return lang.L("on")
	case p.Kind == denoise.Switch:
		return lang.L("off")
	case p.Kind == denoise.Float && !v.IsAuto() && v.IsNumber():
		return Short(v.Float())
	case p.Kind == denoise.Ints:
		v = asked
	}
	return language.Number(v.String())
}

// withUnit adds the unit of a value.
func withUnit(p denoise.Param, v denoise.Value, text, unit string) string {
	switch {
	case p.Unit == "value" && v.IsNumber():
		return strings.TrimSpace(text + " " + unit)
	case p.Unit == "value" || p.Unit == "":
		return text
	}
	return text + " " + lang.L(p.Unit)
}

// Place names a place: "edges, x 120, y 88, z 5", counted from 1.
func Place(p tune.Place) string {
	return fmt.Sprintf(lang.L("%s, x %d, y %d, z %d"), lang.L(p.What), p.X+1, p.Y+1, p.Slice+1)
}

// Compared says whether side A of comparisons is another picture than the original.
func Compared(s *session.Session) bool {
	_, run := s.Results.Base()
	_, other := s.Results.Beside()
	return run || other
}

// Other names another series beside the one on the screen, with its date unless the identity is hidden:
// "PRIOR 2015-02-06".
func Other(s *session.Session, other *workbench.Beside, hide bool) string {
	name := lang.L("OTHER SERIES")
	if other.Prior(s.Series().Meta) {
		name = lang.L("PRIOR")
	}
	if hide {
		return name
	}
	return strings.TrimSpace(name + " " + Date("", other.StudyDate))
}

// Acquired is another series as it was acquired, without its voxels, to be named.
func Acquired(other *workbench.Beside) *series.Series {
	return &series.Series{Meta: other.Meta, Volume: &volume.Volume{Geometry: other.Acquired, Unit: other.Volume.Unit}}
}

// Sides returns the permanent labels of the two sides of a comparison. Without hide they have the date of
// another series.
func Sides(s *session.Session, hide bool) (names [2]string) {
	names = [2]string{lang.L(viewer.Original.String()), lang.L(viewer.Denoised.String())}
	_, based := s.Results.Base()
	if other, compared := s.Results.Beside(); compared {
		names[0] = Other(s, other, hide)
		if s.Results.Unfiltered() {
			names[1] = lang.L(viewer.Original.String())
		}
	}
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
