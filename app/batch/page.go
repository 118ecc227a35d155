package batch

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/image/draw"

	"quell/app/job"
	"quell/app/output"
	"quell/app/run"
	"quell/denoise/verdict"
	"quell/io/atomic"
	"quell/report"
)

// pageRows is how many series a page of the report has: with their pictures 2 to 5 MB.
const pageRows = 200

type (
	pageData struct {
		Recipe, Version, Select, When            string
		Done, Failed, Duplicates, Fades, Texture int
		Total, OfOthers                          int
		Page                                     int // from 1
		Pages                                    []pageLink
		Rows                                     []SeriesResult
	}
	// pageLink leads from a page of the report to another one.
	pageLink struct {
		Number, From, To int    // rows, from 1
		Problems         bool   // begins with one
		First            string // input of the first row
		Href             string
	}
)

// pageFile names a page of the report, relative to the output: the first one is report.html, the
// others are in the folder of the batch, in which no output can be.
func pageFile(number int) string {
	if number == 1 {
		return "report.html"
	}
	return path.Join(StateFolder, "report", fmt.Sprintf("page-%d.html", number))
}

// writeHTML writes the report in pages of pageRows series, which refer to each other and to no
// other file. The first one is written last and has the counts of all.
func (b *batch) writeHTML(all results, ofOthers int) error {
	h := pageData{Recipe: b.o.Job.Recipe.String(), Version: job.Version(), Select: b.selectText(), When: time.Now().Format("2 January 2006, 15:04 MST"), Total: len(all.rows), OfOthers: ofOthers}
	for _, x := range all.rows {
		h.count(x)
	}
	pages := slices.Collect(slices.Chunk(all.rows, pageRows))
	if len(pages) == 0 {
		pages = append(pages, nil)
	}
	for i := len(pages) - 1; i >= 0; i-- {
		h.Page, h.Pages, h.Rows = i+1, linksFrom(i+1, pages), nil
		for r := range (results{all.store, pages[i], all.unsaved}).each {
			h.Rows = append(h.Rows, r)
		}
		var data bytes.Buffer
		if err := report.Write(&data, "report on a batch", "quell batch", h.body); err != nil {
			return err
		}
		if err := atomic.WriteFile(filepath.Join(b.store.out, filepath.FromSlash(pageFile(h.Page))), data.Bytes(), 0o666); err != nil {
			return err
		}
	}
	for n := len(pages) + 1; os.Remove(filepath.Join(b.store.out, filepath.FromSlash(pageFile(n)))) == nil; n++ { // of a longer report
	}
	return nil
}

// body writes a page of the report.
func (h *pageData) body(p *report.Page) {
	p.Add("<h1>%d of %d series filtered", h.Done, h.Total)
	count := func(n int, format string) {
		if n > 0 {
			p.Add(format, n)
		}
	}
	count(h.Failed, ", %d failed")
	p.Add("</h1>\n<p>Recipe <code>%s</code>", h.Recipe)
	if h.Select != "" {
		p.Add(", series with <code>%s</code>", h.Select)
	}
	p.Add(", Quell %s, %s.\n", h.Version, h.When)
	count(h.Fades, "In %d objects fade. ")
	count(h.Texture, "In %d texture is lost. ")
	count(h.Duplicates, "%d have the same images as another series. ")
	count(h.OfOthers, "<b>%d outputs in this folder were made by another recipe or version of Quell</b> and have no row. ")
	p.Add("</p>\n")
	p.Warn()
	p.Add(`<p class="note">Problems come first. The pictures are the middle slice before and after, and what was removed on a scale of three sigmas of the noise; of a 4-D series those of the volume that the verdict is of.</p>
`)
	if len(h.Pages) > 0 {
		p.Add("<nav>")
		for _, l := range h.Pages {
			h.link(p, l)
		}
		p.Add("</nav>\n")
	}
	p.Add(`<table>
<tr><th>Series</th><th>Result</th><th class="number">sigma</th><th class="number">Time</th><th>Before, after, removed</th></tr>
`)
	for _, r := range h.Rows {
		p.Add(`<tr class="%s"><td class="name">%s`, class(r), r.Unit)
		line(p, r.Series)
		p.Add("</td><td>")
		r.body(p)
		p.Add(`</td><td class="number">%s</td><td class="number">%s</td><td>`, sigmaText(r), took(r))
		if len(r.Picture) > 0 {
			p.Add(`<img src="%s" alt="before, after, removed" loading="lazy">%s`, report.Picture(r.Picture), r.Pictured)
		}
		p.Add("</td></tr>\n")
	}
	p.Add("</table>")
}

// link writes the link to a page, or what the page at hand holds.
func (h *pageData) link(p *report.Page, l pageLink) {
	if l.Number == h.Page {
		p.Add("<b>%d to %d, from %s</b>\n", l.From, l.To, l.First)
		return
	}
	p.Add(`<a href="%s">%d to %d, from %s`, l.Href, l.From, l.To, l.First)
	if l.Problems {
		p.Add(" (problems)")
	}
	p.Add("</a>\n")
}

// body writes what became of a series.
func (r SeriesResult) body(p *report.Page) {
	switch {
	case r.Problem != "":
		p.Add("<b>failed</b>: %s", r.Problem)
		return
	case r.SameAs != "":
		p.Add("the same images as %s", r.SameAs)
		return
	}
	p.Add("<b>%s</b>", wordOf(r))
	p.Add("<br>%s", r.Why)
	for _, text := range r.Warnings {
		line(p, text)
	}
}

// line adds a text on a line of its own.
func line(p *report.Page, text string) {
	if text != "" {
		p.Add("<br>%s", text)
	}
}

// linksFrom returns the links of a page; none if it is the only one.
func linksFrom(number int, pages [][]row) (links []pageLink) {
	if len(pages) == 1 {
		return nil
	}
	for i, rows := range pages {
		href := pageFile(i + 1)
		if number > 1 {
			href = path.Join("..", "..", href)
		}
		from := i*pageRows + 1
		links = append(links, pageLink{i + 1, from, from + len(rows) - 1, rows[0].urgency < urgency(SeriesResult{State: Done}), rows[0].unit, href})
	}
	return links
}

// count adds a series to the numbers of the report.
func (h *pageData) count(x row) {
	switch x.state {
	case Failed:
		h.Failed++
	case Duplicate:
		h.Duplicates++
	default:
		h.Done++
	}
	switch x.urgency {
	case urgency(SeriesResult{State: Done, Judgement: string(verdict.Fades)}):
		h.Fades++
	case urgency(SeriesResult{State: Done, Judgement: string(verdict.Texture)}):
		h.Texture++
	}
}

// class is the colour of a row.
func class(r SeriesResult) string {
	switch {
	case r.State == Failed:
		return "failed"
	case r.State == Done && urgency(r) < urgency(SeriesResult{State: Done}):
		return "doubt"
	}
	return "well"
}

// wordOf is the verdict on a series as a person reads it; its state if it has none.
func wordOf(r SeriesResult) string {
	if r.Judgement == "" {
		return string(r.State)
	}
	return verdict.Word(r.Judgement).Message().String()
}

// took is the time of a series in words.
func took(r SeriesResult) string {
	if r.State != Done {
		return ""
	}
	return job.TimeText(r.Seconds.Load + r.Seconds.Estimate + r.Seconds.Filter + r.Seconds.Measure + r.Seconds.Write)
}

// pictureHeight is the height of the pictures of a series in pixels.
const pictureHeight = 160

// picture returns a JPEG of the middle slice: before, after, and what was removed.
func picture(ctx context.Context, run *run.Run) ([]byte, error) {
	drawn, err := output.Draw(ctx, run)
	if err != nil {
		return nil, err
	}
	size := drawn.Pictures[0].Rect.Size()
	width := max(1, min(size.X*pictureHeight/size.Y, 3*pictureHeight))
	m := image.NewRGBA(image.Rect(0, 0, 3*width, pictureHeight))
	for i, part := range drawn.Pictures {
		draw.ApproxBiLinear.Scale(m, image.Rect(i*width, 0, (i+1)*width, pictureHeight), part, part.Rect, draw.Src, nil)
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, m, &jpeg.Options{Quality: 85}); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}
