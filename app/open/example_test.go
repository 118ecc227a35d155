package open_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"quell/app"
	"quell/app/job"
	"quell/app/open"
	"quell/phantom"
)

// A folder is scanned from headers alone; voxels are read when an entry is loaded.
func ExampleScan() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "quell")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	_, err = app.MakePhantom(ctx, app.PhantomJob{
		Kind: "steps", Size: phantom.Size{Dims: [3]int{24, 20, 4}, Spacing: [3]float64{10, 10, 5}},
		Output: filepath.Join(dir, "series.nii"),
	}, job.Events{})
	if err != nil {
		log.Fatal(err)
	}
	catalog, err := open.Scan(ctx, dir)
	if err != nil {
		log.Fatal(err)
	}
	defer catalog.Close()
	for i, e := range catalog.Entries {
		s, err := catalog.Load(ctx, i, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Format, e.Slices, s.Volume.Dims)
	}
	// Output: NIfTI-1 4 [24 20 4]
}
