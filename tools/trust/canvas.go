package main

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"

	"quell/volume"
)

// gap lies between the panels, in pixels.
const gap = 4

// canvas is a picture of panels of one size.
type canvas struct {
	*image.Gray
	width, height int // of a panel
}

func newCanvas(columns, rows, width, height int) *canvas {
	c := &canvas{image.NewGray(image.Rect(0, 0, columns*(width+gap)-gap, rows*(height+gap)-gap)), width, height}
	draw.Draw(c, c.Bounds(), image.White, image.Point{}, draw.Src)
	return c
}

func (c *canvas) write(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(f, c.Gray); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// slice draws slice z of a volume, lo black and hi white.
func (c *canvas) slice(column, row int, v *volume.Volume, z int, lo, hi float32) {
	c.part(column, row, v, z, 0, 0, lo, hi)
}

// part draws slice z from pixel (x0, y0) on.
func (c *canvas) part(column, row int, v *volume.Volume, z, x0, y0 int, lo, hi float32) {
	left, top := column*(c.width+gap), row*(c.height+gap)
	for y := range c.height {
		for x := range c.width {
			t := (v.At(x0+x, y0+y, z) - lo) / (hi - lo)
			c.SetGray(left+x, top+y, color.Gray{Y: uint8(255 * min(max(t, 0), 1))})
		}
	}
}
