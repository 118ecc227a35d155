// Package toy is a file format of a page, for tests: a new format needs this folder and a line in the table of
// app/files/format.go.
package toy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"quell/io/format"
	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

// Format is TOY: a line with all that a header says, and the voxels.
var Format = raster.FileFormat("TOY", [][2]string{{".toy", ".toy"}}, sniff, text.Open, Make, text.Describe)

// Make makes a .toy.
var Make = raster.PlainMaker("TOY", nil, header)

var text raster.TextParser = parse

func sniff(head []byte, _ string) bool { return bytes.HasPrefix(head, []byte("TOY ")) }

// fields are the fields of the line.
type fields struct {
	dims    [3]int
	volumes int
	step    float64
	code    int64
	affine  volume.Affine
}

// values returns pointers to all in their order.
func (f *fields) values() []any {
	all := []any{&f.dims[0], &f.dims[1], &f.dims[2], &f.volumes, &f.step, &f.code}
	for r := range f.affine {
		for c := range f.affine[r] {
			all = append(all, &f.affine[r][c])
		}
	}
	return all
}

func header(grid volume.Geometry, d raster.Datatype, o format.Options, description string) []byte {
	frames, step := o.Volumes(), o.Step()
	f := fields{grid.Dims, frames, step, d.Code, grid.Affine}
	b := []byte("TOY")
	for _, p := range f.values() {
		switch p := p.(type) {
		case *int:
			b = fmt.Append(b, " ", *p)
		case *int64:
			b = fmt.Append(b, " ", *p)
		case *float64:
			b = fmt.Appendf(b, " %b", *p)
		}
	}
	return fmt.Appendf(b, "\n%s\n", raster.OneLine(description, 200))
}

func parse(file *raster.File) (raster.Text, error) {
	line, err := file.Line()
	var f fields
	if n, _ := fmt.Sscan(string(bytes.TrimPrefix([]byte(line), []byte("TOY"))), f.values()...); err != nil || n != len(f.values()) {
		return raster.Text{}, errors.New("this is not a TOY file; choose a .toy")
	}
	description, err := file.Line()
	return raster.Text{Layout: f.layout, Description: description}, err
}

func (f fields) layout() (l raster.Layout, err error) {
	var ok bool
	if l.Datatype, ok = raster.DatatypeByCode(f.code); !ok {
		return l, errors.New("its voxels are of no known type; the header is damaged")
	}
	sizes := []int64{int64(f.dims[0]), int64(f.dims[1]), int64(f.dims[2])}
	if _, l.Volumes, err = raster.Sizes(sizes, []int64{int64(f.volumes)}); err != nil {
		return l, err
	}
	l.Meta, l.Order, l.Slope, l.Step = series.Meta{Format: "TOY"}, binary.LittleEndian, 1, f.step
	l.Geometry, err = raster.Grid(f.dims[:], []volume.Vec{f.affine.Column(0), f.affine.Column(1), f.affine.Column(2)}, f.affine.Column(3))
	return l, err
}
