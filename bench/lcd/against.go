package lcd

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"quell/app/judge"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/measure"
	"quell/series"
	"quell/volume"
)

// Comparison has the figures of another program's result of a scan, and of the filters at --strength visible.
type Comparison struct {
	Rows    []Figured       `json:"rows"`             // the other program first, then the filters, the proposal first
	Problem message.Message `json:"problem,omitzero"` // why no filter is proposed, or the other is no result of the scan
}

// Figured is what a result keeps.
type Figured struct {
	Filter    string         `json:"filter,omitempty"` // "" of the other program
	Recipe    denoise.Recipe `json:"recipe,omitzero"`
	Judgement verdict.Word   `json:"judgement"`
	verdict.Figures
	Bands []measure.Float `json:"bands"` // see [lesions.Sample.Bands]
}

// Against judges a result of another program as assess does, and the filters as a proposal does: all in the same regions. names
// are of filters, nil for all that a proposal compares. The error is the context's or the engine's.
func Against(ctx context.Context, e denoise.Engine, s *series.Series, other *volume.Volume, names []string) (b Comparison, err error) {
	facts, err := denoise.FactsOf(ctx, s.Volume)
	if err != nil {
		return b, err
	}
	a, err := judge.Assess(ctx, judge.Input{Before: s, After: other, Facts: &facts, Engine: e, WithoutMap: true})
	if err != nil {
		return b, err
	}
	tissue, err := run.TissueOf(ctx, denoise.Input{Volume: s.Volume}, facts)
	if err != nil {
		return b, err
	}
	b.Rows = []Figured{{Judgement: a.Judgement, Figures: a.Figures, Bands: tissue.Of(other, other.Bounds()).Bands()}}
	p, err := run.ProposeFilter(ctx, e, run.ProposalRequest{Series: s, Facts: &facts, IfVaries: true})
	if b.Problem = p.Why; a.Judgement == verdict.Unknown {
		b.Problem = a.Why
	}
	for _, c := range p.Choices {
		if names == nil || slices.Contains(names, c.Filter) {
			word, _ := verdict.Usual.Judge(c.Figures)
			b.Rows = append(b.Rows, Figured{c.Filter, c.Recipe, word, c.Figures, c.Bands()})
		}
	}
	return b, err
}

// WriteMarkdown prints a table.
func (b Comparison) WriteMarkdown(w io.Writer) error {
	fmt.Fprintf(w, "| filter | strength | noise left | contrast kept | mean frequency | power in bands of 0.05 cycles a pixel | verdict |\n| --- | ---: | ---: | --- | --- | --- | --- |\n")
	for _, r := range b.Rows {
		name, strength := "the other", "–"
		if r.Filter != "" {
			name, strength = r.Filter, r.Recipe.Get(denoise.MixStrength.Name).String()
		}
		share := func(s verdict.Share) string {
			if !s.Known() {
				return "–"
			}
			return fmt.Sprintf("%.2f (%.2f to %.2f)", s.Value, s.Low, s.High)
		}
		n := r.Noise()
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s |\n", name, strength, share(verdict.Share{Value: 1 - n.Value, Low: 1 - n.High, High: 1 - n.Low}), share(r.Contrast()), share(r.Texture()), list(r.Bands), r.Judgement.Message())
	}
	if !b.Problem.IsZero() {
		fmt.Fprintf(w, "\n%s\n", b.Problem)
	}
	return nil
}

// list prints numbers, and a dash for NaN.
func list[F ~float64](values []F) string {
	var texts []string
	for _, x := range values {
		text := "–"
		if !math.IsNaN(float64(x)) {
			text = fmt.Sprintf("%.2f", float64(x))
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}
