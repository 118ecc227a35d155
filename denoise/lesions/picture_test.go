package lesions_test

import (
	"context"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/lesions"
	"quell/volume"
)

// The picture of a lesion is that of a run on the whole volume with the lesion.
func TestThePictureIsThatOfTheWhole(t *testing.T) {
	v := flat(t, [3]int{120, 110, 3})
	r := recipe(t, "nlm", 3, nil)
	q := request(v, r, lesions.Lesion{Shape: lesions.Disc, Size: 4, Contrast: 10, Slices: 3}, lesions.Lesion{Shape: lesions.Disc, Size: 6, Contrast: 20, Slices: 3})
	if p, err := lesions.Measure(context.Background(), cpu.New(), q); err != nil || p.Picture != nil {
		t.Fatalf("unasked: %v, %v", p.Picture, err)
	}
	q.Pictured = true
	p, err := lesions.Measure(context.Background(), cpu.New(), q)
	if err != nil {
		t.Fatal(err)
	}
	c := p.Picture
	if c.Lesion.Size != 6 || c.Before.Dims != [3]int{63, 63, 1} || !slices.Contains(p.At, c.At) {
		t.Fatalf("%+v of %v at %v", c.Lesion, c.Before.Dims, c.At)
	}
	box := volume.Region{Min: [3]int{c.At[0] - 31, c.At[1] - 31, 1}, Max: [3]int{c.At[0] + 32, c.At[1] + 32, 2}}
	with, own := v.Clone(), v.Crop(box)
	for i, x := range c.Before.Data { // the lesion reaches no further than the picture, through all slices
		for z := range 3 {
			with.Data[v.Index(box.Min[0]+i%63, box.Min[1]+i/63, z)] += x - own.Data[i]
		}
	}
	if d := c.Before.At(31, 31, 0) - own.At(31, 31, 0); d < 19 || d > 20.01 {
		t.Errorf("the lesion adds %g in its middle", d)
	}
	after, err := cpu.New().Run(context.Background(), r, denoise.Input{Volume: with}, box, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range after.Data {
		if d := x - c.After.Data[i]; d > 1e-3 || d < -1e-3 {
			t.Fatalf("voxel %d is %g, in a run on the whole %g", i, c.After.Data[i], x)
		}
	}
}
