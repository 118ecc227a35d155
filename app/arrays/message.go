package arrays

import (
	"encoding/json"

	"quell/denoise"
)

// Version is the version of the protocol. It changes when an older client would misunderstand a reply.
const Version = 1

// Limits of requests of a client.
const (
	MaxLine    = 1 << 20 // bytes of a request
	MaxWaiting = 16      // requests behind the one in work
	MaxMapped  = 64      // files at a time
)

// hello is the first line of the server.
type hello struct {
	Protocol string `json:"protocol"`
	Version  int    `json:"version"`
	Quell    string `json:"quell"`
}

// Request is one line of a client. Which members count depends on Do.
type Request struct {
	ID int64  `json:"id"`
	Do string `json:"do"`

	File   string `json:"file,omitempty"`   // map
	Memory int    `json:"memory,omitempty"` // unmap
	Bytes  int64  `json:"bytes,omitempty"`  // room: that the client is about to map

	Input  Image  `json:"input,omitzero"`
	Result *Array `json:"result,omitempty"` // assess: the judged result
	Output *Array `json:"output,omitempty"` // is written
	Mask   *Array `json:"mask,omitempty"`   // bytes, 0 for voxels that are left out
	// NoiseMap is "auto", "none" or an array of sigma for each voxel; missing, it is the rule of quell denoise, and
	// none for assess.
	NoiseMap json.RawMessage `json:"noise_map,omitempty"`

	Recipe     *denoise.Recipe          `json:"recipe,omitempty"` // else Preset, else Filter
	Preset     string                   `json:"preset,omitempty"`
	Filter     string                   `json:"filter,omitempty"`
	Dims       any                      `json:"dims,omitempty"` // 2, 3, "auto"; missing: the dims of the recipe, or else auto
	Parameters map[string]denoise.Value `json:"parameters,omitempty"`

	Engine  string `json:"engine,omitempty"` // see job.EnginePolicy
	Threads int    `json:"threads,omitempty"`
	Assess  bool   `json:"assess,omitempty"` // denoise: also judge the result
}

// Array names voxels in a mapped file.
type Array struct {
	Memory int    `json:"memory"`
	Offset int    `json:"offset"` // bytes, a multiple of 4
	Dims   [3]int `json:"dims"`   // nx, ny, nz
	// Volumes of a 4-D array follow each other, each of Dims; missing: one. denoise takes them.
	Volumes int `json:"volumes,omitempty"`
}

// mostVolumes is the largest number of volumes of an array.
const mostVolumes = 1 << 16

// volume returns volume k.
func (a Array) volume(k int) Array {
	a.Offset += 4 * k * a.voxels()
	a.Volumes = 0
	return a
}

// Image is an array with its place in the patient.
type Image struct {
	Array
	Spacing []float64 `json:"spacing,omitempty"` // mm along x, y and z; missing: 1
	// Affine maps a voxel index (i, j, k) to RAS+ mm, as in NIfTI; it then gives the spacing, too.
	Affine   [][]float64 `json:"affine,omitempty"`
	Modality string      `json:"modality,omitempty"` // "CT", "MR", or "" if that is not known
}

// reply is one line of the server.
type reply struct {
	ID     int64  `json:"id"`
	Result any    `json:"result,omitempty"`
	Error  any    `json:"error,omitempty"`
	Event  string `json:"event,omitempty"`
	Text   string `json:"text,omitempty"`
	Step   string `json:"step,omitempty"`
	Done   int64  `json:"done,omitempty"`
	Total  int64  `json:"total,omitempty"`
}
