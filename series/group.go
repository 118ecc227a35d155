package series

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"quell/internal/message"
	"quell/volume"
)

// Coordinate is the place of a volume on an axis that is not one of space.
type Coordinate struct {
	Axis  string `json:"axis"`           // "temporal position", "b-value", "echo time", "volume"
	Value string `json:"value"`          // as the file gives it
	Unit  string `json:"unit,omitempty"` // "ms", "s/mm2"; empty for an index
}

// String returns the axis and the value: "echo time 4.6 ms". The components of a vector,
// which DICOM separates by backslashes, are separated by spaces.
func (c Coordinate) String() string {
	return strings.ReplaceAll(strings.TrimSpace(strings.TrimSpace(c.Axis+" "+c.Value)+" "+c.Unit), `\`, " ")
}

// Place is the position of a volume in its group: one coordinate for each axis along
// which the series was divided down to this volume, the outermost first. Volumes of one
// group may differ in their axes: the one of b-value 0 has no direction.
type Place []Coordinate

// String returns the coordinates in words: "b-value 1000 s/mm2, direction 2".
func (p Place) String() string {
	words := make([]string, len(p))
	for i, c := range p {
		words[i] = c.String()
	}
	return strings.Join(words, ", ")
}

// Group is a 4-D series: volumes on one grid that differ in time, echo, b-value or
// another attribute of the acquisition.
type Group struct {
	Places []Place // of each volume, in the order along the axis
	// Step is the time in seconds from one volume to the next; 0 if the files do not
	// say, or if the volumes differ in something other than time.
	Step float64
	// Gradients are the diffusion weightings of the volumes; nil if the files give none.
	Gradients *Gradients
}

// LeftOut is a volume, or slices, that a job on a series does not work on.
type LeftOut struct {
	Text   message.Message `json:"text"`             // which, and why
	Files  []string        `json:"files,omitempty"`  // as named in their container
	Volume bool            `json:"volume,omitempty"` // a volume, not slices of one
}

// Len returns the number of volumes.
func (g Group) Len() int { return len(g.Places) }

// Axis names what the volumes differ in: "temporal position", or "b-value, direction".
func (g Group) Axis() string {
	var names []string
	for _, p := range g.Places {
		for _, c := range p {
			if !slices.Contains(names, c.Axis) {
				names = append(names, c.Axis)
			}
		}
	}
	return strings.Join(names, ", ")
}

// FolderName returns the name of the folder for volume i when pictures are drawn of
// each: its number from 1, so that folders sort along the axis, and its place, as in
// "003-b-value-1000-s-mm2". It consists of letters, digits, dots and hyphens.
func (g Group) FolderName(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%0*d", max(3, len(fmt.Sprint(g.Len()))), i+1)
	gap := true
	for _, r := range strings.ToLower(g.Places[i].String()) {
		switch {
		case b.Len() >= maxFolderName:
			return b.String()
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.':
			if gap {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			gap = false
		default:
			gap = true
		}
	}
	return b.String()
}

// maxFolderName bounds the length of a folder's name; a place may have a long text.
const maxFolderName = 60

// Contrast names what makes volume i look other than the next, whatever the time: volumes with the same text
// are repeats of each other. It holds its place on all axes but those of time and number, and the gradient; its direction if
// the weighting is strong enough to show it.
func (g Group) Contrast(i int) string {
	var words []string
	ignored := repeating
	if g.Gradients != nil && i < len(g.Gradients.Volumes) {
		v := g.Gradients.Volumes[i]
		if v.B < leastDirected {
			v.Direction, ignored = volume.Vec{}, append(ignored, "direction")
		}
		words = append(words, fmt.Sprint(v))
	}
	for _, c := range g.Places[i] {
		if !slices.Contains(ignored, c.Axis) {
			words = append(words, c.String())
		}
	}
	return strings.Join(words, ", ")
}

// MostAlike returns the volumes of the most frequent contrast, of those as frequent the first, in their order; none if g is nil.
func (g *Group) MostAlike() (most []int) {
	if g == nil {
		return nil
	}
	volumes := map[string][]int{}
	for k := range g.Places {
		contrast := g.Contrast(k)
		if volumes[contrast] = append(volumes[contrast], k); len(volumes[contrast]) > len(most) {
			most = volumes[contrast]
		}
	}
	return most
}

// leastDirected is the b-value in s/mm2 below which scanners call a volume unweighted although they apply a gradient.
const leastDirected = 50

// repeating are the axes along which the contrast stays: time and numbers.
var repeating = []string{"temporal position", "time", "repeat", "acquisition", "acquisition time", "frame reference time", "volume"}

// KSpace is the acquisition of an MR as a file states it, in the terms of DICOM or of BIDS. 0 is not stated.
type KSpace struct {
	Readout, Phases int     // frequencies along the readout, and phases as they are counted
	PhaseAxis       int     // that the phases lie along: 0 is x, 1 is y
	Field           float64 // the field of view along the phases, over that of the readout
	Sampling        float64 // the share of the phases that was acquired
	Partial         float64 // the same by partial Fourier
	Parallel        float64 // every how many phases parallel imaging acquired one
}

// Encoding returns how many frequencies reach to the edges of what was acquired. Phases are also read as those of a smaller
// field of view, in which each stands for more pixels. If they are as many as the readout, they are also read as those
// before sampling was reduced; if they are fewer, as those after parallel imaging and partial Fourier left some out, which
// move no edge.
func (k KSpace) Encoding() (e volume.Encoding) {
	e[1-k.PhaseAxis][0] = max(k.Readout, 0)
	if k.Phases <= 0 {
		return e
	}
	scaled := func(by float64) int { return int(math.Round(min(float64(k.Phases)*by, math.MaxInt32))) }
	less := func(share float64) bool { return share > 0 && share < 1 }
	phase := &e[k.PhaseAxis]
	phase[0] = k.Phases
	if less(k.Field) {
		phase[1] = scaled(1 / k.Field)
	}
	if k.Phases >= k.Readout {
		if less(k.Sampling) {
			phase[2] = scaled(k.Sampling)
		}
		return e
	}
	left := 1.0
	if less(k.Partial) {
		left = k.Partial
	}
	if k.Parallel > 1 {
		left /= k.Parallel
	}
	if full := scaled(1 / left); full > k.Phases && full <= k.Readout {
		phase[2] = full
	}
	return e
}
