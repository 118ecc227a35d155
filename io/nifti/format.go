package nifti

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"quell/internal/regular"
	"quell/io/format"
	"quell/io/raster"
	"quell/io/spool"
	"quell/series"
)

// Format is NIfTI, and Analyze a pair of Analyze 7.5, which Open reads too.
var (
	Format  = newFormat()
	Analyze = newAnalyze()
)

func newFormat() format.Format {
	f := raster.FileFormat("NIfTI", [][2]string{{".nii.gz", ".nii.gz"}, {".nii", ".nii"}, {".nii.zst", ".nii.gz"}, {".nii.bz2", ".nii.gz"}}, Sniff, Open, Make, descriptionIn)
	f.Components, f.Endings = true, []string{".nii", ".nii.gz"} // the plain one first, as all texts have it
	f.Beside = func(path string) []string {
		bval, bvec := GradientFiles(path)
		return []string{bval, bvec}
	}
	f.Scan, f.Foreign = scan, foreignGradients
	return f
}

func newAnalyze() format.Format {
	f := raster.FileFormat("Analyze", [][2]string{{".hdr.gz", ".hdr"}, {".hdr", ".hdr"}}, nil, Open, Make, descriptionIn)
	f.Proposed, f.Frames, f.Streams, f.Components = "", false, false, true
	f.Waiting = func(string) int { return spool.VoxelBytes }
	f.Scan, f.Voxels, f.Second = scan, ".img", imagePath
	return f
}

// scan is Scan of both. The volumes of a 4-D series lie along the b-values in the .bval file next to it, if there is one.
func scan(ctx context.Context, fsys fs.FS, names []string) (*format.Found, error) {
	found, err := Open.Scan(ctx, fsys, names)
	if err != nil || found.Entries[0].Group == nil {
		return found, err
	}
	gradients, more := ReadGradients(fsys, names[0], found.Entries[0].Group.Len(), found.Entries[0].Geometry)
	for i := range found.Entries {
		e := &found.Entries[i]
		e.Findings = slices.Concat(e.Findings, more)
		if gradients != nil {
			e.Group.Gradients = gradients
			weights := strings.Fields(string(gradients.BVal)) // as the file has them
			e.Group.Places[e.GroupIndex] = series.Place{{Axis: "b-value", Value: weights[e.GroupIndex], Unit: "s/mm2"}}
		}
	}
	return found, nil
}

// foreignGradients returns the diffusion gradients next to a NIfTI file that were not written
// with it.
func foreignGradients(path string) string {
	bval, bvec := GradientFiles(path)
	texts, there := [2][]byte{}, [2]bool{}
	for i, name := range []string{bval, bvec} {
		_, err := os.Lstat(name)
		there[i] = err == nil
		texts[i], _ = regular.ReadFile(name) // nil if it cannot be read
	}
	if !there[0] && !there[1] {
		return ""
	}
	mark, err := auxiliaryIn(raster.HostFolder(filepath.Dir(path)), filepath.Base(path))
	known, now := strings.Fields(mark), strings.Fields(gradientMark(texts[0], texts[1]))
	for i, name := range []string{bval, bvec} {
		if there[i] && (err != nil || len(known) != len(now) || known[2*i+1] != now[2*i+1]) {
			return name
		}
	}
	return ""
}
