// Package study makes reader studies: a choice between two squares of a series, one of which has a virtual lesion, as the
// series is and as a recipe filters it. A study is one page of HTML, which a browser and the workbench show, a key that
// scores the answers, and a file of answers for every reader.
package study

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/png"
	"math"

	"quell/app/judge"
	"quell/denoise"
	"quell/denoise/lesions"
	"quell/measure/readers"
	"quell/volume"
)

// Key is what scores the answers of a study. It holds no voxels.
type Key struct {
	Study  string          `json:"study"` // its name, a digest of the page's images
	Seed   uint64          `json:"seed"`
	Lesion lesions.Lesion  `json:"lesion"`
	Unit   string          `json:"unit,omitempty"`
	Recipe denoise.Recipe  `json:"recipe"` // resolved
	Trials []readers.Trial `json:"trials"`
}

// Page is a reader study as its readers see it, without the right answers.
type Page struct {
	Study string        `json:"study"`
	Shape lesions.Shape `json:"shape"`
	Size  float64       `json:"size"`  // mm
	Pairs [][2][]byte   `json:"pairs"` // PNGs, left and right, in the order of the trials
}

// Make returns a study of the first lesion of a request, and its page. The same request gives the same page. The error is
// that of judge.Twins.
func Make(ctx context.Context, q judge.LesionRequest) (Key, Page, error) {
	twins, lesion, recipe, err := judge.Twins(ctx, q)
	if err != nil {
		return Key{}, Page{}, err
	}
	k := Key{Seed: q.Seed, Lesion: lesion, Unit: q.Series.Volume.Unit, Recipe: recipe, Trials: readers.Plan(len(twins), q.Seed)}
	p := Page{Shape: lesion.Shape, Size: lesion.Size}
	width := windowWidth(twins, lesion.Contrast)
	digest := sha256.New()
	for _, t := range k.Trials {
		var pair [2][]byte
		for side := range pair {
			signal, index := 0, t.Absent
			if t.Left == (side == 0) {
				signal, index = 1, t.Present
			}
			if pair[side], err = pictureOf(twins[index], t.Filtered, signal, width); err != nil {
				return Key{}, Page{}, err
			}
			digest.Write(pair[side])
		}
		p.Pairs = append(p.Pairs, pair)
	}
	k.Study = hex.EncodeToString(digest.Sum(nil)[:6])
	p.Study = k.Study
	return k, p, nil
}

// windowWidth is the range of values that all pictures show: the noise as it is, and the lesion.
func windowWidth(twins []lesions.Twin, contrast float64) float64 {
	var sum, n float64
	for _, t := range twins {
		mean := meanOf(t.Before[0])
		for _, x := range t.Before[0].Data {
			sum += (float64(x) - mean) * (float64(x) - mean)
			n++
		}
	}
	return 6*math.Sqrt(sum/n) + math.Abs(contrast)
}

func meanOf(v *volume.Volume) (mean float64) {
	for _, x := range v.Data {
		mean += float64(x) / float64(len(v.Data))
	}
	return mean
}

// pictureOf draws a square in grey, about the mean that its tissue has without the lesion.
func pictureOf(t lesions.Twin, filtered bool, signal int, width float64) ([]byte, error) {
	v := t.Before[signal]
	if filtered {
		v = t.After[signal]
	}
	low := meanOf(t.Before[0]) - width/2
	img := image.NewGray(image.Rect(0, 0, v.Dims[0], v.Dims[1]))
	for i, x := range v.Data {
		img.Pix[i] = uint8(math.Round(255 * min(max((float64(x)-low)/width, 0), 1)))
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}
