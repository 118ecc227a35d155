package output

import (
	"context"
	"path/filepath"
	"time"

	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/internal/message"
	"quell/io/dicom"
	"quell/volume"
)

// attached are the DICOM objects about a result, which are written into the folder of its images: they belong to the
// same patient and study, and go where that folder goes. The methods of nil do nothing.
type attached struct {
	maps    *mapped   // nil for none
	figures *measured // nil for none
}

// attachedTo returns what an output asks for; nil for nothing.
func attachedTo(out job.Output) *attached {
	if len(out.Attach) == 0 {
		return nil
	}
	a := &attached{}
	if out.Attaches(job.AttachMaps) {
		a.maps = &mapped{}
	}
	if out.Attaches(job.AttachMeasurements) {
		a.figures = &measured{}
	}
	return a
}

// check refuses outputs that hold no DICOM objects.
func (a *attached) check(out string) error {
	if a == nil || files.Identified(out) {
		return nil
	}
	return job.Usagef("%s: maps and measurements are attached to DICOM output; name a folder", out)
}

// size is how many bytes the objects about a volume take, and their voxels on the disk before.
func (a *attached) size(region volume.Region) int64 {
	if a == nil || a.maps == nil {
		return 0
	}
	return mapBytes * int64(region.Voxels())
}

// slab takes the next slices. dir is for what waits on the disk.
func (a *attached) slab(ctx context.Context, s *executor.Slab, dir string) error {
	if a == nil {
		return nil
	}
	if s.Volume == 0 && s.First {
		a.discard() // what an engine began that failed
	}
	if err := a.maps.slab(ctx, s, dir); err != nil {
		return err
	}
	return a.figures.slab(ctx, s)
}

// write writes the objects into the folder of the series that was written, and reads them back.
func (a *attached) write(ctx context.Context, about dicom.Written, dir string, now time.Time) (n int, warnings []message.Message, err error) {
	n, err = a.maps.write(ctx, about, func(k int) string { return filepath.Join(dir, dicom.MapName(k)) }, now)
	if err != nil {
		return n, a.maps.warnings(), err
	}
	more, err := a.figures.write(about, filepath.Join(dir, dicom.ReportName(1)), now)
	return n + more, a.maps.warnings(), err
}

// discard drops what waits.
func (a *attached) discard() {
	if a != nil {
		a.maps.discard()
		a.figures.discard()
	}
}
