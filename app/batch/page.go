package batch

import (
	"bytes"
	"context"
	_ "embed"
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
	"quell/denoise/tune"
	"quell/io/atomic"
	"quell/report"
)

//go:embed report.gohtml
var pageText string

var page = report.New("report on a batch", pageText, map[string]any{"class": class, "sigma": sigmaText, "took": took})

// pageRows is how many series a page of the report has: with their pictures 2 to 5 MB.
const pageRows = 200

type (
	pageData struct {
		Recipe, Version, Select, When         string
		Done, Failed, Duplicates, Under, Over int
		Total, OfOthers                       int
		Page                                  int // from 1
		Pages                                 []pageLink
		Rows                                  []SeriesResult
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
		if err := page.Write(&data, h); err != nil {
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
	case urgency(SeriesResult{State: Done, Verdict: string(tune.Over)}):
		h.Over++
	case urgency(SeriesResult{State: Done, Verdict: string(tune.Under)}):
		h.Under++
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
