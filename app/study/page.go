package study

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"image/png"

	"quell/app/files"
	"quell/app/judge"
	"quell/internal/message"
	"quell/report"
)

// form is the body of the page, with the shape of the lesions, their size, and the Page as JSON.
//
//go:embed form.html
var form string

// Write makes a study and writes its page, and its key beside it.
func Write(ctx context.Context, q judge.LesionRequest, page string, overwrite bool) (Key, error) {
	k, p, err := Make(ctx, q)
	if err != nil {
		return k, err
	}
	data, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return k, err
	}
	pairs, err := json.Marshal(p)
	if err != nil {
		return k, err
	}
	var html bytes.Buffer
	body := func(out *report.Page) { out.Add(form, p.Shape, p.Size, report.Markup(pairs)) }
	if err := report.Write(&html, files.StudyKind, "Reader study "+p.Study, body); err != nil {
		return k, err
	}
	if err := files.Write(files.StudyKeyOutput, KeyPath(page), append(data, '\n'), overwrite, q.Series); err != nil {
		return k, err
	}
	return k, files.Write(files.StudyOutput, page, html.Bytes(), overwrite, q.Series)
}

// The element of the page that holds a Page.
const dataBegin, dataEnd = `<script type="application/json" id="study">`, `</script>`

// mostSide bounds the squares of a page, in pixels.
const mostSide = 1024

// ReadPage reads the page of a study that Write wrote. Errors: a *job.InputError with the file.
func ReadPage(path string) (p Page, err error) {
	data, err := read(path)
	if err != nil {
		return p, err
	}
	_, data, known := bytes.Cut(data, []byte(dataBegin))
	data, _, ended := bytes.Cut(data, []byte(dataEnd))
	if !known || !ended || json.Unmarshal(data, &p) != nil || p.Study == "" || len(p.Pairs) == 0 {
		return Page{}, noPage(path)
	}
	for _, pair := range p.Pairs {
		for _, square := range pair {
			c, err := png.DecodeConfig(bytes.NewReader(square))
			if err != nil || c.Width > mostSide || c.Height > mostSide {
				return Page{}, noPage(path)
			}
		}
	}
	return p, nil
}

func noPage(path string) error {
	return wrong(path, message.Errorf("", "it is no page of a reader study"), message.Text("choose the page (.html) that was written when the study was made"))
}
