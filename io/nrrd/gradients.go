package nrrd

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// The keys of diffusion in NRRD, as Slicer reads and writes them: the largest b-value of a series, and for each volume
// a vector along the axes of the measurement frame; its square is its share of that b-value. NEX repeats the one
// before.
const (
	keyModality = "modality"
	keyBValue   = "DWMRI_b-value"
	keyGradient = "DWMRI_gradient_%04d"
	keyRepeats  = "DWMRI_NEX_%04d"
)

// gradients returns the diffusion weightings of the volumes; nil if the header gives none.
func (h *header) gradients(volumes int) (*series.Gradients, error) {
	text, ok := h.keys[keyBValue]
	if !ok || volumes < 2 {
		return nil, nil
	}
	largest, err := strconv.ParseFloat(text, 64)
	if err != nil || !(largest >= 0) || math.IsInf(largest, 0) {
		return nil, message.Errorf(message.InputDamaged, "its b-value is %q", text)
	}
	vectors := make([]volume.Vec, volumes)
	longest := 0.0
	for t := 0; t < volumes; {
		v, err := h.gradient(fmt.Sprintf(keyGradient, t))
		if err != nil {
			return nil, err
		}
		repeats := 1
		if text, ok := h.keys[fmt.Sprintf(keyRepeats, t)]; ok {
			if repeats, err = strconv.Atoi(text); err != nil || repeats < 1 || repeats > volumes-t {
				return nil, message.Errorf(message.InputDamaged, "volume %d is repeated %q times", t+1, text)
			}
		}
		longest = max(longest, v.Norm())
		for range repeats {
			vectors[t] = v
			t++
		}
	}
	g := &series.Gradients{Volumes: make([]series.Gradient, volumes)}
	for t, v := range vectors {
		if n := v.Norm(); n > 0 {
			g.Volumes[t] = series.Gradient{B: round(largest * n * n / (longest * longest)), Direction: v.Unit()}
		}
	}
	return g, nil
}

// round returns a b-value without the digits of rounded vectors.
func round(b float64) float64 {
	if whole := math.Round(b); math.Abs(b-whole) <= 1e-3*b {
		return whole
	}
	return b
}

// gradient returns a vector in LPS+.
func (h *header) gradient(key string) (out volume.Vec, err error) {
	words := strings.Fields(h.keys[key])
	if len(words) != 3 {
		return out, message.Errorf(message.InputDamaged, "the key %s is missing or has not three numbers", key)
	}
	var v volume.Vec
	for i, word := range words {
		if v[i], err = strconv.ParseFloat(word, 64); err != nil || v[i]-v[i] != 0 {
			return out, message.Errorf(message.InputDamaged, "the key %s has %q among its numbers", key, word)
		}
	}
	if h.frame == nil {
		out = v
	} else {
		if len(h.frame) != 3 || len(h.frame[0]) != 3 || len(h.frame[1]) != 3 || len(h.frame[2]) != 3 {
			return out, message.Errorf(message.InputDamaged, "the measurement frame is no matrix of 3 x 3 numbers")
		}
		for i, axis := range h.frame {
			out = out.Add(volume.Vec(axis).Scale(v[i]))
		}
	}
	signs, known := toLPS[h.space]
	if !known {
		return out, message.Errorf(message.InputUnsupported, "the header names no space of the patient")
	}
	for i := range out {
		out[i] *= signs[i]
		if out[i]-out[i] != 0 {
			return out, message.Errorf(message.InputDamaged, "the measurement frame is not finite")
		}
	}
	return out, nil
}

// keepsGradients reports whether the keys can hold some gradients: every weighted volume needs a direction.
func keepsGradients(g *series.Gradients) bool {
	for _, v := range g.Volumes {
		if v.B > 0 && (v.Direction == volume.Vec{}) {
			return false
		}
	}
	return g.Weighted()
}

// writeGradients writes the keys.
func writeGradients(w io.Writer, g *series.Gradients) {
	largest := 0.0
	for _, v := range g.Volumes {
		largest = max(largest, v.B)
	}
	fmt.Fprintf(w, "%s:=DWMRI\n%s:=%s\n", keyModality, keyBValue, strconv.FormatFloat(largest, 'g', -1, 64))
	for t, v := range g.Volumes {
		d := v.Direction.Scale(math.Sqrt(v.B / largest))
		fmt.Fprintf(w, keyGradient+":=%.8g %.8g %.8g\n", t, d[0]+0, d[1]+0, d[2]+0)
	}
}
