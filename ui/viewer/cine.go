package viewer

import (
	"image"
	"image/draw"
)

// cineGap is the space between the pictures of two panes, in pixels.
const cineGap = 4

// Cine draws all slices of a job as pictures of one size: its panes side by side, each cut to the part of it that slices
// cover. It is for one goroutine.
type Cine struct {
	job      Job
	renderer Renderer
	panes    []CinePane
	size     image.Point
}

// CinePane is where the picture of a pane lies in those of a Cine.
type CinePane struct {
	Role Role
	At   image.Rectangle
	from image.Point // of the pane, in its pixels
}

// NewCine returns the slices of a job, whatever its index; nil if its panes show no part of them. Without a result of the whole
// volume the original is shown alone.
func NewCine(job Job) *Cine {
	job.Last, job.Lens = nil, Lens{}
	if job.Result == nil || job.Part {
		job.Result, job.Part, job.Compare = nil, false, Comparison{}
		widest := Pane{}
		for _, pane := range job.Panes {
			if !pane.Hidden && pane.Width > widest.Width {
				widest = pane
			}
		}
		job.Panes = [Roles]Pane{Original: widest, Denoised: {Hidden: true}, Residual: {Hidden: true}}
	}
	c := &Cine{job: job}
	for role, pane := range job.Panes {
		if pane.Hidden || pane.Width <= 0 || pane.Height <= 0 {
			continue
		}
		t := Place(float64(pane.Width), float64(pane.Height), job.View, job.Zoom, job.Pan).aligned()
		x0, y0, x1, y1 := t.Visible(pane.Width, pane.Height)
		if x1 <= x0 || y1 <= y0 {
			continue
		}
		if len(c.panes) > 0 {
			c.size.X += cineGap
		}
		at := image.Rect(c.size.X, 0, c.size.X+x1-x0, y1-y0)
		c.panes = append(c.panes, CinePane{Role(role), at, image.Pt(x0, y0)})
		c.size = image.Pt(at.Max.X, max(c.size.Y, at.Max.Y))
	}
	if c.panes == nil {
		return nil
	}
	return c
}

// Frames returns the number of slices.
func (c *Cine) Frames() int { return c.job.View.Size[2] }

// Size returns the size of a picture.
func (c *Cine) Size() image.Point { return c.size }

// Panes returns the panes that are in the pictures, from the left.
func (c *Cine) Panes() []CinePane { return c.panes }

// Grey says whether the pictures have no colours: neither the residual nor a tint.
func (c *Cine) Grey() bool {
	for _, pane := range c.panes {
		if pane.Role == Residual || c.job.Tints[pane.Role] != nil {
			return false
		}
	}
	return true
}

// Draw draws slice i at a place of a picture; what the panes leave of that stays as it is. A grey picture takes the red of the
// colours, which have all the same.
func (c *Cine) Draw(m draw.Image, at image.Point, i int) {
	job := c.job
	job.Index = i
	_, frames := c.renderer.Render(job)
	for _, pane := range c.panes {
		f := frames[pane.Role]
		if f.Image == nil {
			continue
		}
		origin := pane.At.Min.Add(image.Pt(f.X0, f.Y0).Sub(pane.from)) // of the frame, which begins at (0, 0)
		to := f.Image.Rect.Add(origin).Intersect(pane.At)
		grey, isGrey := m.(*image.Gray)
		if !isGrey {
			draw.Draw(m, to.Add(at), f.Image, to.Min.Sub(origin), draw.Src)
			continue
		}
		for y := to.Min.Y; y < to.Max.Y; y++ {
			from := f.Image.Pix[f.Image.PixOffset(to.Min.X-origin.X, y-origin.Y):]
			row := grey.Pix[grey.PixOffset(to.Min.X+at.X, y+at.Y):][:to.Dx()]
			for x := range row {
				row[x] = from[4*x]
			}
		}
	}
}
