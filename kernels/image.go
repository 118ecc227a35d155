package kernels

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// images holds the modules: compressed fatbins with code for compute capability 7.5,
// 8.0, 8.6, 8.9 and 9.0, and PTX for newer devices. build.sh compiles them.
//
//go:embed *.fatbin rungs/*.fatbin
var images embed.FS

//go:embed manifest.json
var manifest []byte

// moreImages are the modules of RegisterModule.
var moreImages = map[string]string{}

// RegisterModule adds a module that is not embedded in this package. It must be called
// from init.
func RegisterModule(name, image string) { moreImages[name] = image }

// Modules returns the names of all modules except the modules of rungs, which are
// loaded when they are first used.
func Modules() []string {
	files, err := images.ReadDir(".")
	if err != nil {
		panic(err) // the embedded folder always exists
	}
	names := slices.Sorted(maps.Keys(moreImages))
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		names = append(names, strings.TrimSuffix(f.Name(), path.Ext(f.Name())))
	}
	return names
}

// Image returns a module's fatbin, or "" if there is no such module. It is a string
// because cu.LoadData takes one.
func Image(module string) string {
	if image, ok := moreImages[module]; ok {
		return image
	}
	image, err := images.ReadFile(module + ".fatbin")
	if err != nil {
		return ""
	}
	return string(image)
}

// Digest identifies the kernels of this build. It is the hash of the manifest, which
// contains the hashes of all sources and modules.
func Digest() string {
	sum := sha256.Sum256(manifest)
	return hex.EncodeToString(sum[:])
}

// ModuleDigest returns the hash of a module's fatbin, in hex, or "" if there is no such module. A program
// that calls it, and not Image, is linked without the modules.
func ModuleDigest(module string) string {
	var m struct {
		Modules map[string]string `json:"modules"`
	}
	if err := json.Unmarshal(manifest, &m); err != nil {
		panic(err) // a test reads the embedded manifest
	}
	return m.Modules[module+".fatbin"]
}
