package volume_test

import (
	"context"
	"fmt"

	"quell/volume"
)

// A volume acquired in axial slices, cut coronally: head up, patient right on
// the left of the screen.
func ExampleView() {
	v := volume.New(volume.NewGeometry([3]int{512, 512, 40}, [3]float64{0.5, 0.5, 3}))
	view := v.View(volume.Coronal)
	fmt.Println(view.Size, view.Pixel, view.Letters)
	fmt.Println(view.Voxel(0, 0, 100))
	// Output:
	// [512 40 512] [0.5 3] [R L H F]
	// [0 100 39]
}

// A volume of known geometry: voxels are stored x fastest, and positions are in mm, LPS+. Range
// leaves out padding.
func ExampleVolume() {
	v := volume.New(volume.NewGeometry([3]int{4, 3, 2}, [3]float64{0.5, 0.5, 3}))
	v.Data[v.Index(1, 2, 1)] = 40
	v.Mask = make([]bool, v.Voxels())
	for i := range v.Mask {
		v.Mask[i] = i < 22 // the last two are padding
	}
	lo, hi, err := v.Range(context.Background())
	fmt.Println(v.At(1, 2, 1), v.Affine.Apply(1, 2, 1), lo, hi, err)
	// Output: 40 [0.5 1 3] 0 40 <nil>
}
