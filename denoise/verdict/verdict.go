// Package verdict judges the result of a filter by three figures: the noise that it removed, the contrast that it kept
// of the smallest object that was visible, and the texture that it kept of the noise.
//
// The figures are shares from 0 to 1 with intervals of 95 %. [Bounds] turns them into a word; nothing else in the
// program does. How they are measured is in package denoise/lesions and docs/TRUST.md.
package verdict

import (
	"math"
	"slices"
	"strconv"

	"quell/internal/message"
	"quell/measure"
)

// Word is what the figures of a result amount to.
type Word string

// The words, from the figures by [Bounds.Judge].
const (
	Nothing Word = "nothing" // no noise was removed
	Little  Word = "little"  // little noise was removed, without harm
	Good    Word = "good"    // noise was removed, objects and texture are kept
	Fades   Word = "fades"   // objects that were visible lose contrast, or an object was removed
	Texture Word = "texture" // the noise that is left looks smooth, like plastic
	Unknown Word = "unknown" // it cannot be judged
)

// gravity orders the words, the worst last.
var gravity = []Word{Good, Little, Nothing, Unknown, Texture, Fades}

// Worse reports whether a word is worse than another.
func (w Word) Worse(than Word) bool { return slices.Index(gravity, w) > slices.Index(gravity, than) }

// Message returns the word as a person reads it.
func (w Word) Message() message.Message {
	switch w {
	case Nothing:
		return message.Text("nothing removed")
	case Little:
		return message.Text("little removed")
	case Good:
		return message.Text("good")
	case Fades:
		return message.Text("objects fade")
	case Texture:
		return message.Text("texture is lost")
	}
	return message.Text("cannot be judged")
}

// Share is a figure from 0 to 1 with the ends of its interval.
type Share struct{ Value, Low, High float64 }

// Known reports whether the figure was measured.
func (s Share) Known() bool { return !math.IsNaN(s.Value) }

// Figures are the three figures of a result. A figure that is not known is NaN.
type Figures struct {
	NoiseRemoved     measure.Float `json:"noise_removed"` // 1 less the SD of the noise over that before
	NoiseRemovedLow  measure.Float `json:"noise_removed_low"`
	NoiseRemovedHigh measure.Float `json:"noise_removed_high"`
	ContrastKept     measure.Float `json:"contrast_kept"` // of the smallest object that was visible
	ContrastKeptLow  measure.Float `json:"contrast_kept_low"`
	ContrastKeptHigh measure.Float `json:"contrast_kept_high"`
	TextureKept      measure.Float `json:"texture_kept"` // the mean frequency of the noise over that before
	TextureKeptLow   measure.Float `json:"texture_kept_low"`
	TextureKeptHigh  measure.Float `json:"texture_kept_high"`
	// ObjectSize is the diameter of that object in mm, and ObjectSlices how many slices it reaches through; 0 if the
	// contrast is not known.
	ObjectSize   float64 `json:"object_mm,omitempty"`
	ObjectSlices int     `json:"object_slices,omitempty"`
	// Regions is how many homogeneous regions the figures were measured in.
	Regions int `json:"regions"`
}

// Noise is the noise removed.
func (f Figures) Noise() Share { return share(f.NoiseRemoved, f.NoiseRemovedLow, f.NoiseRemovedHigh) }

// Contrast is the contrast kept.
func (f Figures) Contrast() Share {
	return share(f.ContrastKept, f.ContrastKeptLow, f.ContrastKeptHigh)
}

// Texture is the texture kept.
func (f Figures) Texture() Share { return share(f.TextureKept, f.TextureKeptLow, f.TextureKeptHigh) }

func share(value, low, high measure.Float) Share {
	return Share{float64(value), float64(low), float64(high)}
}

// Of returns the figures with these shares, cut to 0 to 1.
func Of(noise, contrast, texture Share) (f Figures) {
	cut := func(x float64) measure.Float { return measure.Float(min(max(x, 0), 1)) }
	f.NoiseRemoved, f.NoiseRemovedLow, f.NoiseRemovedHigh = cut(noise.Value), cut(noise.Low), cut(noise.High)
	f.ContrastKept, f.ContrastKeptLow, f.ContrastKeptHigh = cut(contrast.Value), cut(contrast.Low), cut(contrast.High)
	f.TextureKept, f.TextureKeptLow, f.TextureKeptHigh = cut(texture.Value), cut(texture.Low), cut(texture.High)
	return f
}

// None are figures of which none is known.
func None() Figures {
	nan := Share{math.NaN(), math.NaN(), math.NaN()}
	return Of(nan, nan, nan)
}

// Unchanged are the figures of a result that equals its input.
func Unchanged() Figures {
	return Of(Share{}, Share{1, 1, 1}, Share{1, 1, 1})
}

// Bounds are the figures at which the words change.
type Bounds struct {
	Nothing  float64 `json:"nothing"`  // less noise removed is nothing
	Little   float64 `json:"little"`   // less is little
	Contrast float64 `json:"contrast"` // less kept: objects fade
	Texture  float64 `json:"texture"`  // less kept: texture is lost
	// Doubt is how far the low end of what is kept may lie below its bound; a wider interval is no ground for a judgement.
	Doubt float64 `json:"doubt"`
}

// Usual are the bounds of the program, see docs/TRUST.md. The dial stops at 0.9: what is measured again, in other regions
// or by another method, stays within.
var Usual = Bounds{Nothing: 0.05, Little: 0.15, Contrast: 0.85, Texture: 0.85, Doubt: 0.1}

// Within reports whether what the figures keep is within the bounds, and the low ends of its intervals near them.
func (b Bounds) Within(f Figures) bool {
	return f.Contrast().within(b.Contrast, b.Doubt) && f.Texture().within(b.Texture, b.Doubt)
}

func (s Share) within(bound, doubt float64) bool { return s.Value >= bound && s.Low >= bound-doubt }

// Judge returns what figures amount to, and says so in a sentence.
func (b Bounds) Judge(f Figures) (Word, message.Message) {
	noise, contrast, texture := f.Noise(), f.Contrast(), f.Texture()
	percent := func(s Share) int { return int(math.Round(100 * s.Value)) }
	switch {
	case noise.Known() && noise.Value < b.Nothing && !(contrast.Value < b.Contrast) && !(texture.Value < b.Texture):
		return Nothing, message.New(message.VerdictNothing, "Nothing was removed: %d %% of the noise.", percent(noise))
	case !noise.Known() || !contrast.Known() || !texture.Known():
		return Unknown, message.New(message.VerdictNone, "It cannot be judged: there are too few homogeneous regions.")
	}
	size := message.Figure(strconv.FormatFloat(f.ObjectSize, 'g', 3, 64))
	switch {
	case contrast.Value < b.Contrast:
		return Fades, message.New(message.VisibilityLost, "Objects fade: %s mm keep %d %% of their contrast (bound %.0f %%), for %d %% less noise.", size, percent(contrast), 100*b.Contrast, percent(noise))
	case texture.Value < b.Texture:
		return Texture, message.New(message.VerdictStructure, "Texture is lost: the noise keeps %d %% of its mean frequency (bound %.0f %%), for %d %% less noise.", percent(texture), 100*b.Texture, percent(noise))
	case contrast.Low < b.Contrast-b.Doubt:
		return Unknown, message.New(message.VerdictNone, "It cannot be judged: objects of %s mm keep between %.0f and %.0f %% of their contrast.", size, 100*contrast.Low, 100*contrast.High)
	case texture.Low < b.Texture-b.Doubt:
		return Unknown, message.New(message.VerdictNone, "It cannot be judged: the noise keeps between %.0f and %.0f %% of its mean frequency.", 100*texture.Low, 100*texture.High)
	case noise.Value < b.Little:
		return Little, message.New(message.VerdictNoise, "Little was removed: %d %% of the noise; objects of %s mm keep %d %% of their contrast.", percent(noise), size, percent(contrast))
	}
	return Good, message.New(message.VisibilityKept, "%d %% less noise; objects of %s mm keep %d %% of their contrast, the noise %d %% of its texture.", percent(noise), size, percent(contrast), percent(texture))
}

// Better reports whether f is preferred to than.
func (b Bounds) Better(f, than Figures) bool { return b.Rank(f) > b.Rank(than) }

// Rank is higher for figures that are preferred: within the bounds by the noise removed, below these by the least that is kept
// over its bound; unknown figures count as nothing.
func (b Bounds) Rank(f Figures) float64 {
	margin := min(float64(f.ContrastKept)/b.Contrast, float64(f.TextureKept)/b.Texture)
	switch {
	case b.Within(f):
		return 1/min(b.Contrast, b.Texture) + float64(f.NoiseRemoved)
	case math.IsNaN(margin):
		return 0
	}
	return margin
}

// Close reports whether the values of two figures differ by at most that.
func (f Figures) Close(o Figures, most float64) bool {
	near := func(a, b Share) bool { return math.Abs(a.Value-b.Value) <= most }
	return near(f.Noise(), o.Noise()) && near(f.Contrast(), o.Contrast()) && near(f.Texture(), o.Texture())
}

// ofMany widens the intervals of 95 % of parts, as one of many parts lies outside by chance.
const ofMany = 1.5

// In returns figures of a part of what others are of: a share whose interval includes that of the whole is no ground for
// another.
func (f Figures) In(whole Figures) Figures {
	in := func(own, of Share) Share {
		if off := of.Value - own.Value; off <= ofMany*(own.High-own.Value) && -off <= ofMany*(own.Value-own.Low) {
			return of
		}
		return own
	}
	out := Of(in(f.Noise(), whole.Noise()), in(f.Contrast(), whole.Contrast()), in(f.Texture(), whole.Texture()))
	out.ObjectSize, out.ObjectSlices, out.Regions = f.ObjectSize, f.ObjectSlices, f.Regions
	return out
}

// Pooled returns the figures of a whole by those of its parts, each as often as it has regions.
func Pooled(parts []Figures) Figures {
	var sum [3]Share
	n := 0.0
	for _, f := range parts {
		if w := float64(f.Regions); w > 0 {
			n += w
			for k, s := range [3]Share{f.Noise(), f.Contrast(), f.Texture()} {
				to := &sum[k]
				*to = Share{to.Value + (s.Value-to.Value)*w/n, to.Low + (s.Low-to.Low)*w/n, to.High + (s.High-to.High)*w/n}
			}
		}
	}
	if n == 0 {
		return None()
	}
	return Of(sum[0], sum[1], sum[2])
}
