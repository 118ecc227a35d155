package bench

import (
	"fmt"
	"math"
	"slices"

	"quell/report"
	"quell/volume"
)

// Picture is a PNG image.
type Picture struct {
	Title  string `json:"title"`
	Window string `json:"window,omitempty"` // of the grey values: "center 127, width 255"
	PNG    []byte `json:"png"`
}

// The titles of a row's pictures.
const (
	truthPicture   = "truth"
	beforePicture  = "before"
	afterPicture   = "after"
	removedPicture = "removed" // before less after: noise, and whatever else the filter took
)

// draw keeps pictures of the middle slice, and its middle row. The picture of what was
// removed has a window of its own, 6 standard deviations wide around 0.
func (m *measurement) draw() error {
	z := (m.region.Min[2] + m.region.Max[2]) / 2
	g := m.image.noisy.Geometry
	before, after := m.image.noisy.Plane(z), m.output.Plane(z-m.region.Min[2])
	whole := m.image.noisy
	type plane struct {
		title string
		data  []float32
	}
	planes := []plane{{beforePicture, before}, {afterPicture, after}}
	if m.image.truth != nil {
		planes = slices.Insert(planes, 0, plane{truthPicture, m.image.truth.Plane(z)})
		whole = m.image.truth
	}
	if m.row.Profile {
		y := g.Dims[1] / 2
		for _, p := range planes {
			m.result.Profiles = append(m.result.Profiles, Profile{p.title, slices.Clone(p.data[y*g.Dims[0] : (y+1)*g.Dims[0]])})
		}
	}
	if !m.row.Pictures {
		return nil
	}
	window := m.image.window
	if window.Width == 0 {
		window = volume.AutoWindow(whole)
	}
	removed, deviation := difference(before, after)
	for _, p := range append(planes, plane{removedPicture, removed}) {
		w := window
		if p.title == removedPicture {
			w = volume.Window{Width: max(6*deviation, math.SmallestNonzeroFloat32), Exact: true}
		}
		slice := volume.Volume{Geometry: volume.NewGeometry([3]int{g.Dims[0], g.Dims[1], 1}, g.Spacing), Data: p.data}
		picture, err := report.PNG(slice.Gray(w, false), "")
		if err != nil {
			return err
		}
		m.result.Pictures = append(m.result.Pictures, Picture{p.title, fmt.Sprintf("center %.4g, width %.4g", w.Center, w.Width), picture})
	}
	return nil
}

// difference returns a less b, and the root of its mean square.
func difference(a, b []float32) (d []float32, rms float64) {
	d = make([]float32, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
		rms += float64(d[i]) * float64(d[i])
	}
	return d, math.Sqrt(rms / float64(max(len(a), 1)))
}
