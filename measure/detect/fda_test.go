package detect_test

import (
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"quell/internal/shareddata"
	"quell/measure/detect"
)

// insertCentres are the rows and columns of the inserts of the FDA's images, by the side of the insert in pixels.
var insertCentres = map[int][2]int{4: {94, 160}, 7: {95, 95}, 10: {160, 95}, 14: {160, 160}}

// TestFDA compares the observers with the figures of the FDA's tool on its images.
func TestFDA(t *testing.T) {
	root := shareddata.Path(t, "lcd-fda")
	f, err := os.Open(filepath.Join(root, "expected.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	images := map[string][][]float32{}
	for _, row := range rows[1:] {
		recon, dose, train := row[0], row[1], row[5]
		diameter, _ := strconv.Atoi(row[3])
		auc, _ := strconv.ParseFloat(row[6], 64)
		snr, _ := strconv.ParseFloat(row[7], 64)
		observer := map[string]detect.Observer{
			"LG_CHO":  detect.Channelised{Channels: detect.LaguerreGauss(29, detect.WidthFor(float64(diameter)), detect.LaguerreGaussCount)},
			"DOG_CHO": detect.Channelised{Channels: detect.DenseDOG(29)},
			"NPWE":    detect.NonPrewhitening{},
		}[row[4]]
		var seen [2][][]float64
		for k, kind := range []string{"signal_absent", "signal_present"} {
			dir := filepath.Join(root, recon, "dose_"+dose, kind)
			if images[dir] == nil {
				images[dir] = fdaImages(t, dir, kind)
			}
			at := insertCentres[diameter]
			for _, image := range images[dir] {
				region, err := detect.Cut(image, 256, at[1], at[0], 29)
				if err != nil {
					t.Fatal(err)
				}
				seen[k] = append(seen[k], observer.Sees(region))
			}
		}
		first, second := 0, 5
		if train == "6-10" {
			first, second = 5, 0
		}
		got, err := detect.Test(observer, seen[0][first:first+5], seen[1][first:first+5], seen[0][second:second+5], seen[1][second:second+5])
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.AUC-auc) > 1e-3 || math.Abs(got.SNR-snr) > 1e-3 {
			t.Errorf("%v: AUC %.6f, SNR %.6f", row, got.AUC, got.SNR)
		}
	}
}

// fdaImages reads ten images of HU + 1000 as little-endian int16.
func fdaImages(t *testing.T, dir, kind string) (all [][]float32) {
	for i := range 10 {
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%s_%03d.raw", kind, i+1)))
		if err != nil {
			t.Fatal(err)
		}
		image := make([]float32, len(data)/2)
		for k := range image {
			image[k] = float32(int16(binary.LittleEndian.Uint16(data[2*k:]))) - 1000
		}
		all = append(all, image)
	}
	return all
}
