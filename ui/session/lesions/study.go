package lesions

import (
	"fyne.io/fyne/v2/lang"

	"quell/app/judge"
	"quell/app/study"
	"quell/ui/session/desk"
)

// StudyRequest asks for a reader study of the series and recipe that are shown.
type StudyRequest struct {
	Size      float64 // of the lesion in mm
	Sigmas    float64 // its contrast, in sigmas of the noise
	Places    int
	Seed      uint64
	Path      string // of the page
	Overwrite bool
}

// CanMakeStudy says whether MakeStudy can start.
func (l *Lesions) CanMakeStudy() bool { return l.desk.Doc != nil && !l.desk.Tasks.Busy() }

// MakeStudy writes the page and the key of a study and then calls done. It does nothing during another task.
func (l *Lesions) MakeStudy(r StudyRequest, done func()) {
	if !l.CanMakeStudy() {
		return
	}
	q := l.request()
	request := judge.LesionRequest{
		Series: q.Series, Recipe: q.Recipe, Maps: q.Maps, Engine: l.desk.Engine, Seed: r.Seed,
		Sizes: []float64{r.Size}, Contrasts: []judge.Contrast{{Value: r.Sigmas, InSigmas: true}}, Places: r.Places,
	}
	if facts, known := l.desk.Doc.Facts(); known {
		request.Facts = &facts
	}
	t := l.desk.Tasks.Start(desk.Preparing, lang.L("Making the study"), "")
	l.desk.Tasks.Do(t, func() error {
		_, err := study.Write(t.Ctx, request, r.Path, r.Overwrite)
		return err
	}, func() {
		l.desk.Changed()
		done()
	})
}
