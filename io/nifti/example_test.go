package nifti_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"quell/io/nifti"
)

// Read returns a volume with LPS+ positions, though the file stores RAS+.
func ExampleRead() {
	s, err := nifti.Open.Read(context.Background(), os.DirFS("testdata"), "int16-le.nii", 0, "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v voxels of %.3f mm, the first at %g\n", s.Volume.Dims, s.Volume.Spacing, s.Volume.Affine.Apply(0, 0, 0))
	// Output: [5 4 3] voxels of [0.750 0.875 2.500] mm, the first at [120.25 -85.5 -310.75]
}
