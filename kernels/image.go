package kernels

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
)

// The modules: compressed fatbins with code for compute capability 7.5, 8.0,
// 8.6, 8.9 and 9.0, and PTX for newer devices. build.sh makes them.
var (
	//go:embed nlm.fatbin
	nlmImage string
	//go:embed bilateral.fatbin
	bilateralImage string
	//go:embed lpa.fatbin
	lpaImage string
	//go:embed gaussian.fatbin
	gaussianImage string
	//go:embed median.fatbin
	medianImage string
	//go:embed convert.fatbin
	convertImage string
	//go:embed manifest.json
	manifest []byte
)

var images = map[string]*string{
	"nlm":       &nlmImage,
	"bilateral": &bilateralImage,
	"lpa":       &lpaImage,
	"gaussian":  &gaussianImage,
	"median":    &medianImage,
	"convert":   &convertImage,
}

// Modules returns the names of the modules, the filters' first.
func Modules() []string {
	return []string{"nlm", "bilateral", "lpa", "gaussian", "median", "convert"}
}

// Image returns a module's fatbin, or "" where there is no such module. It is a
// string as cu.LoadData and cu.LoadFatBinary take one.
func Image(module string) string {
	if image, ok := images[module]; ok {
		return *image
	}
	return ""
}

// Digest identifies the kernels of this build: the hash of the manifest, which
// holds the hash of every source and every module.
func Digest() string {
	sum := sha256.Sum256(manifest)
	return hex.EncodeToString(sum[:])
}
