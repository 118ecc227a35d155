package volume_test

import (
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
