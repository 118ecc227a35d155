package dialogs

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"quell/app/open"
	"quell/internal/message"
	"quell/series"
	"quell/ui/control"
	"quell/ui/language"
)

// thumbnailSide is the size of a series' picture in the list.
const thumbnailSide = 64

// Choose lists the series found under one path. Exactly one of pick and drop is
// called: pick with the chosen entry, drop when the dialog is closed without a
// choice. pictures makes thumbnails of the entries in the given order and calls
// show with each on the UI goroutine, until the context ends.
func Choose(c *open.Catalog, pick func(i int), drop func(), pictures func(ctx context.Context, order []int, show func(i int, m image.Image)), parent fyne.Window) *Dialog {
	var d *Dialog
	chosen := -1
	order := slices.DeleteFunc(byLength(c.Entries), func(i int) bool { // of a 4-D series the first volume stands for all
		return c.Entries[i].Err == nil && c.Entries[i].Group != nil && c.Entries[i].GroupIndex > 0
	})
	best, why := c.Recommended()
	if at := slices.Index(order, best); at < 0 {
		why = message.Message{}
	} else if !why.IsZero() {
		order = slices.Insert(slices.Delete(order, at, at+1), 0, best)
	}
	painted := map[int]image.Image{}
	list := control.NewList(lang.L("Series"),
		func() int { return len(order) },
		func() fyne.CanvasObject {
			title, detail := bold(lang.L("Series")), wrapped("detail")
			title.Truncation = fyne.TextTruncateEllipsis
			picture := canvas.NewImageFromImage(image.NewGray(image.Rect(0, 0, 1, 1)))
			picture.FillMode = canvas.ImageFillContain
			picture.ScaleMode = canvas.ImageScaleFastest
			picture.SetMinSize(fyne.NewSquareSize(thumbnailSide))
			return container.NewBorder(nil, nil, picture, nil, container.NewVBox(title, detail))
		},
		func(i widget.ListItemID, o fyne.CanvasObject) {
			row := o.(*fyne.Container) // the text, then the picture on its left
			text, picture := row.Objects[0].(*fyne.Container), row.Objects[1].(*canvas.Image)
			title, detail, importance := describe(c.Entries[order[i]])
			if i == 0 && !why.IsZero() {
				title += lang.L("    Recommended: ") + language.Of(why)
			}
			text.Objects[0].(*widget.Label).SetText(title)
			second := text.Objects[1].(*widget.Label)
			second.Importance = importance
			second.SetText(detail)
			picture.Image = painted[order[i]]
			picture.Hidden = picture.Image == nil
			picture.Refresh()
		},
	)
	ctx, cancel := context.WithCancel(context.Background())
	pictures(ctx, order, func(i int, m image.Image) {
		painted[i] = m
		list.RefreshItem(slices.Index(order, i))
	})
	list.OnSelected = func(i widget.ListItemID) {
		if c.Entries[order[i]].Err != nil {
			if rest, _ := c.Rest(order[i]); rest == nil {
				list.Unselect(i)
				return
			}
		}
		chosen = order[i]
		d.Hide()
	}
	head := container.NewVBox(wrapped(fmt.Sprintf(lang.L("%d series were found, the longest first. Choose the one to open; Return takes the first."), len(order))))
	if text := warnings(c.Findings); text != "" {
		warning := wrapped(text)
		warning.Importance = widget.WarningImportance
		head.Add(warning)
	}
	size := parent.Canvas().Size()
	width := min(size.Width*0.9, 960)
	for row, i := range order {
		list.SetItemHeight(row, rowHeight(c.Entries[i], width))
	}
	d = newDialog(lang.L("Choose a series"), container.NewBorder(head, nil, nil, nil, list),
		fyne.NewSize(width, min(size.Height*0.9, 680)), parent, choice{text: lang.L("Cancel")})
	d.first = list
	d.SetOnClosed(func() {
		cancel()
		if chosen >= 0 {
			pick(chosen)
		} else {
			drop()
		}
	})
	return d
}

// rowHeight returns the height of the row of an entry with its findings wrapped, in a
// dialog of a width.
func rowHeight(e open.Entry, width float32) float32 {
	const edges = 60 // of the dialog, the list and its scroll bar
	title, detail, _ := describe(e)
	text := wrapped(detail)
	text.Resize(fyne.NewSize(width-thumbnailSide-edges, 1))
	return max(container.NewVBox(bold(title), text).MinSize().Height, thumbnailSide)
}

// byLength orders entries by their number of slices, the largest first, so that
// localizers and screen shots come late; entries that cannot be opened are last.
func byLength(entries []open.Entry) []int {
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := entries[i], entries[j]
		if (a.Err == nil) != (b.Err == nil) {
			if a.Err == nil {
				return -1
			}
			return 1
		}
		return b.Slices - a.Slices
	})
	return order
}

// warnings joins the texts of the severe findings on files outside every series.
func warnings(findings []series.Finding) string {
	var texts []string
	for _, f := range findings {
		if f.Severity > series.Note {
			texts = append(texts, language.Of(f.Text))
		}
	}
	const most = 2
	if more := len(texts) - most; more > 0 {
		texts = append(texts[:most], fmt.Sprintf(lang.L("There are %d more findings."), more))
	}
	return strings.Join(texts, " ")
}

// describe writes an entry in two lines, the second with its most important
// finding, and returns the importance of the second line.
func describe(e open.Entry) (title, detail string, importance widget.Importance) {
	parts := []string{}
	part := e.Part
	if e.Group != nil {
		part = strings.TrimSpace(e.Component + fmt.Sprintf(lang.L("  4-D: %d volumes along %s"), e.Group.Len(), e.Group.Axis()))
	}
	for _, p := range []string{e.Number, e.Modality, e.Description, part} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if title = strings.Join(parts, "  "); title == "" {
		title = e.Format
	}
	if e.Err != nil {
		return title, lang.L("cannot be opened: ") + language.Error(e.Err), widget.DangerImportance
	}
	d := e.Geometry.Dims
	detail = language.Sprintf("%d × %d × %d, %s, %.1f MB", d[0], d[1], d[2], language.Of(message.Word(e.Geometry.Acquired().String())), float64(e.Bytes)/1e6)
	if day, err := time.Parse("20060102", e.StudyDate); err == nil {
		detail += lang.L(", study of ") + day.Format(time.DateOnly)
	}
	if f := e.Warning(); f != nil {
		return title, detail + ". " + language.Of(f.Text), widget.WarningImportance
	}
	return title, detail, widget.LowImportance
}
