package dicom_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"quell/io/dicom"
)

// Scan reads headers alone and lists the volumes; Load reads the voxels of one, in real units.
func ExampleScan() {
	ctx := context.Background()
	catalog, err := dicom.Scan(ctx, os.DirFS("../../assets/series"), nil)
	if err != nil {
		log.Fatal(err)
	}
	s, err := catalog.Load(ctx, catalog.Default, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(catalog.Entries), s.Modality, s.Volume.Dims, s.Volume.Unit)
	for _, f := range s.Findings {
		fmt.Println(f.Kind)
	}
	// Output:
	// 1 CT [512 512 9] HU
	// tilt
	// padding
}
