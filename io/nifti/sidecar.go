package nifti

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"quell/internal/message"
	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

// sidecar is what the JSON file of BIDS next to an image states of k-space, in the names of dcm2niix. The axis is i, j or k of
// the image, with a minus if phases are numbered backwards.
type sidecar struct {
	PhaseEncodingDirection         string
	PhaseEncodingAxis              string // without its sign
	AcquisitionMatrixPE            float64
	ReconMatrixPE                  float64 // pixels along the phases, before anything resampled the image
	BaseResolution                 float64 // of the readout
	PercentPhaseFOV                float64
	PercentSampling                float64
	PartialFourier                 float64
	ParallelReductionFactorInPlane float64
}

// sidecarEncoding reads how many frequencies an MR was acquired with from NAME.json next to NAME.nii. A file that is no such
// JSON, or that was made for another grid, states nothing.
func sidecarEncoding(fsys fs.FS, name string, g volume.Geometry) volume.Encoding {
	base, _, _ := splitExt(name)
	text, err := readText(fsys, base+".json")
	var s sidecar
	if err != nil || text == nil || json.Unmarshal(text, &s) != nil {
		return volume.Encoding{}
	}
	k := series.KSpace{
		Readout: count(s.BaseResolution), Phases: count(s.AcquisitionMatrixPE),
		Field: s.PercentPhaseFOV / 100, Sampling: s.PercentSampling / 100, Partial: s.PartialFourier, Parallel: s.ParallelReductionFactorInPlane,
	}
	axis := s.PhaseEncodingDirection
	if axis == "" {
		axis = s.PhaseEncodingAxis
	}
	switch strings.TrimSuffix(axis, "-") {
	case "i":
	case "j":
		k.PhaseAxis = 1
	default:
		return volume.Encoding{}
	}
	if recon := count(s.ReconMatrixPE); recon > 0 && recon != g.Dims[k.PhaseAxis] {
		return volume.Encoding{}
	}
	return k.Encoding()
}

// count returns a number of the file if it counts frequencies, else 0.
func count(n float64) int {
	if n >= 1 && n <= maxFrequencies {
		return int(n)
	}
	return 0
}

// maxFrequencies is more than any scanner acquires.
const maxFrequencies = 1 << 16

// splitExt splits brain.nii.gz into brain, .nii and .gz, in upper or lower case; .zst and .bz2 are as .gz. Another
// extension stays part of the base.
func splitExt(name string) (base, ext, gz string) {
	base = name
	if e := path.Ext(base); slices.Contains([]string{".gz", ".zst", ".bz2"}, strings.ToLower(e)) {
		base, gz = strings.TrimSuffix(base, e), e
	}
	switch e := path.Ext(base); strings.ToLower(e) {
	case ".nii", ".hdr", ".img":
		return strings.TrimSuffix(base, e), e, gz
	}
	return name, "", ""
}

// image is a parsed header and the file that holds its voxels.
type image struct {
	header     *header
	headerName string // of the file that holds the header
	name       string // of the file that holds the voxels
	file       *raster.File
}

// openImage reads the header of the image name and opens the file that holds its
// voxels. name may be either file of a pair.
func openImage(fsys fs.FS, name string) (*image, error) {
	_, ext, _ := splitExt(name)
	headerName := name
	if strings.EqualFold(ext, ".img") {
		var err error
		if headerName, err = otherOfPair(fsys, name, ".hdr"); err != nil {
			return nil, err
		}
	}
	s, err := raster.OpenFile(fsys, headerName)
	if err != nil {
		return nil, err
	}
	h, err := parseHeader(s)
	if err == nil && h.format == analyze75 && !strings.EqualFold(ext, ".hdr") && !strings.EqualFold(ext, ".img") {
		// Analyze has no magic number: without its extension, any file that starts
		// with the number 348 would be taken for one.
		err = errNotNIfTI
	}
	if err != nil {
		s.Close()
		return nil, raster.ReadError(err)
	}
	if h.single {
		return &image{h, headerName, headerName, s}, nil
	}
	voxels := name
	if headerName == name {
		if voxels, err = otherOfPair(fsys, name, ".img"); err != nil {
			s.Close()
			return nil, err
		}
	}
	if rest, err := io.ReadAll(io.LimitReader(s, maxExtensions)); err == nil && h.format != analyze75 {
		h.parseExtensions(rest)
	}
	s.Close()
	if s, err = raster.OpenFile(fsys, voxels); err != nil {
		return nil, err
	}
	return &image{h, headerName, voxels, s}, nil
}

// otherOfPair returns the name of the other file of a pair: the same base with the
// extension ext, in upper or lower case, compressed or not.
func otherOfPair(fsys fs.FS, name, ext string) (string, error) {
	base, _, _ := splitExt(name)
	for _, e := range []string{ext, strings.ToUpper(ext), ext + ".gz", strings.ToUpper(ext + ".gz")} {
		if info, err := fs.Stat(fsys, base+e); err == nil && !info.IsDir() {
			return base + e, nil
		}
	}
	what := message.Text("voxel")
	if ext == ".hdr" {
		what = message.Text("header")
	}
	return "", message.Errorf(message.InputMissing, "its %s file, %s, is missing; put both files into one folder", what, path.Base(base)+ext)
}

// Open opens an image for its voxels: either file of a pair, or a single one. Values are scaled by
// scl_slope and scl_inter.
var Open raster.Opener = func(fsys fs.FS, name string) (*raster.Image, error) {
	im, err := openImage(fsys, name)
	if err != nil {
		return nil, err
	}
	l, err := im.header.rasterLayout()
	if err != nil {
		im.file.Close()
		return nil, err
	}
	l.Meta.Encoding = sidecarEncoding(fsys, im.headerName, l.Geometry)
	return raster.NewImage(l, im.headerName, []string{im.name}, im.file), nil
}

// Sniff reports whether a file begins like NIfTI-1, NIfTI-2 or Analyze, in either byte order, or like
// gzip, is named like one that another program compressed, or like the voxels of a pair, which have no signature.
func Sniff(head []byte, name string) bool {
	for _, start := range []string{"\x5c\x01\x00\x00", "\x00\x00\x01\x5c", "\x1c\x02\x00\x00", "\x00\x00\x02\x1c", "\x1f\x8b"} {
		if bytes.HasPrefix(head, []byte(start)) {
			return true
		}
	}
	_, ext, packed := splitExt(name)
	return strings.EqualFold(ext, ".img") || packed != "" && raster.IsPacked(head)
}
