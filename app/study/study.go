// Package study makes reader studies: a choice between two squares of a series, one of which has a virtual lesion, as the
// series is and as a recipe filters it. A study is one page of HTML that needs no program, and a key that scores the
// answers saved from it.
package study

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"

	"quell/app/files"
	"quell/app/judge"
	"quell/denoise"
	"quell/denoise/lesions"
	"quell/measure/readers"
	"quell/report"
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

//go:embed page.gohtml
var pageText string

var page = report.New(files.StudyKind, pageText, nil)

// Make returns a study of the first lesion of a request, and its page. The same request gives the same page. The error is that of judge.Twins.
func Make(ctx context.Context, q judge.LesionRequest) (Key, []byte, error) {
	twins, lesion, recipe, err := judge.Twins(ctx, q)
	if err != nil {
		return Key{}, nil, err
	}
	k := Key{Seed: q.Seed, Lesion: lesion, Unit: q.Series.Volume.Unit, Recipe: recipe, Trials: readers.Plan(len(twins), q.Seed)}
	width := windowWidth(twins, lesion.Contrast)
	var pairs [][2][]byte // left, right
	digest := sha256.New()
	for _, t := range k.Trials {
		var pair [2][]byte
		for side := range pair {
			signal, index := 0, t.Absent
			if t.Left == (side == 0) {
				signal, index = 1, t.Present
			}
			if pair[side], err = pictureOf(twins[index], t.Filtered, signal, width); err != nil {
				return Key{}, nil, err
			}
			digest.Write(pair[side])
		}
		pairs = append(pairs, pair)
	}
	k.Study = hex.EncodeToString(digest.Sum(nil)[:6])
	var b bytes.Buffer
	err = page.Write(&b, struct {
		Study  string
		Lesion string
		Pairs  [][2][]byte
	}{k.Study, fmt.Sprintf("%s of %.3g mm", lesion.Shape, lesion.Size), pairs})
	return k, b.Bytes(), err
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

// head is the first line of a file of answers. No field has a comma.
const head = "study,reader,trial,choice"

// ReadAnswers reads a file that a page saved: lines of study, reader, trial counted from 1, and left or right. The error is
// one sentence with the line.
func ReadAnswers(r io.Reader) (all []readers.Answer, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSuffix(lines.Text(), "\r")
		if n == 1 {
			if line != head {
				return nil, fmt.Errorf("the first line is not %q; a page of a study saves answers", head)
			}
			continue
		}
		field := strings.Split(line, ",")
		if len(field) != 4 || field[1] == "" || field[3] != "left" && field[3] != "right" {
			return nil, noAnswer(n)
		}
		trial, err := strconv.Atoi(field[2])
		if err != nil {
			return nil, noAnswer(n)
		}
		all = append(all, readers.Answer{Study: field[0], Reader: field[1], Trial: trial - 1, Left: field[3] == "left"})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("a line is too long for an answer of a study: %w", err)
	}
	return all, nil
}

func noAnswer(line int) error {
	return fmt.Errorf("line %d is not an answer of a study: %s", line, head)
}
