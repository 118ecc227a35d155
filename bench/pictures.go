package bench

import (
	"bytes"
	"fmt"
	"image"
	"image/png"

	"quell/volume"
)

// Picture is a PNG image.
type Picture struct {
	Title string `json:"title"`
	PNG   []byte `json:"png"`
}

// draw keeps pictures of the middle slice, in one window, and its middle row.
func (m *measurement) draw() error {
	z := (m.region.Min[2] + m.region.Max[2]) / 2
	after := m.output.Plane(z - m.region.Min[2])
	g := m.image.noisy.Geometry
	planes := []struct {
		title string
		data  []float32
	}{{"before", m.image.noisy.Plane(z)}, {"after", after}}
	whole := m.image.noisy
	if m.image.truth != nil {
		planes = append(planes[:0:0], append([]struct {
			title string
			data  []float32
		}{{"truth", m.image.truth.Plane(z)}}, planes...)...)
		whole = m.image.truth
	}
	if m.row.Profile {
		y := g.Dims[1] / 2
		for _, p := range planes {
			m.result.Profiles = append(m.result.Profiles, Profile{p.title, append([]float32(nil), p.data[y*g.Dims[0]:(y+1)*g.Dims[0]]...)})
		}
	}
	if !m.row.Pictures {
		return nil
	}
	window := volume.AutoWindow(whole)
	for _, p := range planes {
		picture, err := grayPNG(window, p.data, g.Dims[0], g.Dims[1])
		if err != nil {
			return err
		}
		m.result.Pictures = append(m.result.Pictures, Picture{p.title, picture})
	}
	return nil
}

func grayPNG(w volume.Window, data []float32, nx, ny int) ([]byte, error) {
	m := image.NewRGBA(image.Rect(0, 0, nx, ny))
	w.Render(m, data)
	gray := image.NewGray(m.Bounds())
	for i := range gray.Pix {
		gray.Pix[i] = m.Pix[4*i]
	}
	var file bytes.Buffer
	if err := png.Encode(&file, gray); err != nil {
		return nil, fmt.Errorf("a picture cannot be drawn: %w", err)
	}
	return file.Bytes(), nil
}
