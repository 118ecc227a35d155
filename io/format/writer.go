// Package format is what the rest of the program asks of a file format, and what the formats
// implement.
package format

import (
	"context"
	"time"

	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// Writer writes the volumes of a series to one output, one after another and each whole or some
// slices at a time: a whole volume is one part of all slices, a series of one volume has no Group.
// Its memory does not grow with the series, nor, unless it comes whole, with the volume. Its methods
// are called from one goroutine. After an error only Discard is left.
type Writer interface {
	// Begin begins the next volume, which lies on the grid of from.Volume and was made from that
	// series. from.Volume may be without voxels; its mask, if it has one, is the padding.
	Begin(ctx context.Context, from *series.Series, d Derived) error
	// Add writes the next slices of the volume, of the width and height of the grid and of its unit.
	// They are used during the call. a, which may be nil, says which voxels are final: some
	// formats write these while the others are computed.
	Add(ctx context.Context, part *volume.Volume, a *volume.Arrival) error
	// Clipped returns how many voxels of the volumes so far were beyond what the output can store.
	Clipped() int64
	// Close completes the output and reads it back: an error says that it is not what was to be
	// written, and nothing is left of it.
	Close(ctx context.Context) (Report, error)
	// Discard removes the output. After Close it does nothing.
	Discard()
}

// Options say how an output is written.
type Options struct {
	Group    *series.Group // the 4-D series of the volumes that are written; nil for one volume
	Datatype string        // of the voxels; "" for the default of the format
	Progress func(done, total int)
	Compress string    // the pixels of DICOM, by its name in the format; "" for none
	Version  string    // of Quell
	Now      time.Time // when the output is made
	// Deidentify removes the patient's identity from an output that has one, with pseudonyms
	// that are keyed by Secret.
	Deidentify bool
	Secret     []byte
}

// Volumes returns how many volumes are written.
func (o Options) Volumes() int {
	if o.Group == nil {
		return 1
	}
	return o.Group.Len()
}

// Step returns the time between volumes in seconds; 0 if it is unknown.
func (o Options) Step() float64 {
	if o.Group == nil {
		return 0
	}
	return o.Group.Step
}

// Gradients returns the diffusion gradients of the volumes; nil for none.
func (o Options) Gradients() *series.Gradients {
	if o.Group == nil {
		return nil
	}
	return o.Group.Gradients
}

// Derived says how a volume was made from its source.
type Derived struct {
	Description string // in words
	Suffix      string // of the source's description
	Recipe      []byte // JSON; nil for none
	Code        Code   // of the derivation
}

// Code is a coded concept of DICOM (PS3.3 8.8). Its zero value is the one of a noise filter if one is needed.
type Code struct{ Value, Scheme, Meaning string }

// Report is the account of a Writer.
type Report struct {
	Files     int
	Clipped   int64             // voxels beyond what the output can store, moved to the end of that range
	Warnings  []message.Message // sentences for a person
	SeriesUID string            // of a DICOM series
}
