package job

import (
	"math"
	"slices"
	"strings"
	"time"

	"quell/denoise/noise"
	"quell/internal/message"
	"quell/io/dicom"
)

// Options are the options of an export besides its name.
type Options struct {
	Dtype string    `json:"dtype,omitempty"` // one of Format.Datatypes; "" is the first
	Now   time.Time `json:"-"`               // date of the output; zero is the time of the call
	// Deidentify removes the patient's identity from DICOM made from DICOM, see
	// format.Options. The pixels are not changed.
	Deidentify bool `json:"deidentify,omitempty"`
	// Compress is the compression of the pixels of DICOM; "" is none.
	Compress dicom.Compression `json:"compress,omitempty"`
	// Overwrite replaces an existing output that Quell did not write, see
	// files.ErrForeignTarget. Earlier outputs of Quell are replaced in any case.
	Overwrite bool `json:"overwrite,omitempty"`
	// Attach are the DICOM objects that are written about the result besides its images: some of Attachments.
	Attach []string `json:"attach,omitempty"`
	// Replaces says in the description of the series that it replaces an earlier result, of fewer or other images.
	Replaces bool `json:"replaces,omitempty"`
}

// The names of what can be attached to a result that is DICOM.
const (
	AttachMaps         = "maps"         // parametric maps of what was removed and of the noise
	AttachMeasurements = "measurements" // a structured report of noise, verdict and contrast kept; the result is judged for it
)

// Attachments returns the names.
func Attachments() []string { return []string{AttachMaps, AttachMeasurements} }

// CheckAttach refuses names of nothing that can be attached. Errors are *UsageError.
func CheckAttach(names []string) error {
	for _, name := range names {
		if !slices.Contains(Attachments(), name) {
			return Usagef("nothing to attach is called %q; there are %s", name, strings.Join(Attachments(), " and "))
		}
	}
	return nil
}

// Attaches reports whether an object of that name is written.
func (o Options) Attaches(name string) bool { return slices.Contains(o.Attach, name) }

// DefaultCompression is the compression that is used if none is named: the one with
// the smaller files, and DICOM's own default.
const DefaultCompression = dicom.JPEGLossless

// Compressed reports whether the pixels of DICOM are to be compressed.
func (o Options) Compressed() bool {
	return o.Compress != "" && o.Compress != dicom.Uncompressed
}

// Written describes a finished export.
type Written struct {
	Output   string            // the folder or file written
	Files    int               // in Output; an Analyze pair is two
	Clipped  int64             // voxels outside what the output can store, clipped to its ends
	Warnings []message.Message // sentences for a person
	Recipe   string            // the record written next to Output
	Write    time.Duration     // what it took
}

// AddedNoise is noise that was added in the workbench.
type AddedNoise struct {
	Model noise.Model `json:"model"`
	Sigma float64     `json:"sigma"`
	Seed  uint64      `json:"seed"`
}

// AsMessage returns "gaussian noise, sigma 20, seed 1".
func (n AddedNoise) AsMessage() message.Message {
	return message.Text("%s noise, sigma %g, seed %d", n.Model, n.Sigma, n.Seed)
}

// String returns the message in English.
func (n AddedNoise) String() string { return n.AsMessage().String() }

// Validate returns a UsageError for noise that cannot be added.
func (n AddedNoise) Validate() error {
	models := noise.Models()
	if !slices.Contains(models, n.Model) {
		return Usagef("no noise model is called %q; there are %s and %s", n.Model, models[0], models[1])
	}
	if !(n.Sigma >= 0) || math.IsInf(n.Sigma, 0) {
		return Usagef("a noise sigma of %g is not possible; give 0 or more", n.Sigma)
	}
	return nil
}

// CheckEngine returns the error of a name that is none of an engine's; nil for the others.
func CheckEngine(name string) error {
	names := []string{"auto", "cuda", "cpu"}
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	return Usagef("no engine is called %q; there are %s", name, strings.Join(names, ", "))
}

// EnginePolicy says which engine filters.
type EnginePolicy struct {
	// Name is "cpu", "cuda", or "auto" or "": the first that can be used, and the
	// CPU after a failure of the GPU.
	Name    string `json:"name,omitempty"`
	Threads int    `json:"threads,omitempty"` // of the CPU engine, at most; 0: one per processor
}
