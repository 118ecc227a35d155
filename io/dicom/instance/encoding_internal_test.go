package instance

import (
	"encoding/binary"
	"testing"

	"quell/io/dicom/part10"
	"quell/volume"
)

// TestEncoding reads how many frequencies an MR was acquired with along x and y.
func TestEncoding(t *testing.T) {
	const none = "100"
	for name, c := range map[string]struct {
		matrix                     []uint16
		direction, sampling, field string
		want                       volume.Encoding
	}{
		"phases along y":        {[]uint16{256, 0, 0, 192}, "COL", none, none, volume.Encoding{{256}, {192}}},
		"other zeros":           {[]uint16{0, 256, 192, 0}, "COLUMN", none, none, volume.Encoding{{256}, {192}}},
		"phases along x":        {[]uint16{256, 0, 0, 192}, "ROW", none, none, volume.Encoding{{192}, {256}}},
		"smaller field of view": {[]uint16{256, 0, 0, 192}, "COL", none, "75", volume.Encoding{{256}, {192, 256}}},
		"reduced sampling":      {[]uint16{64, 0, 0, 64}, "COL", "62.5", none, volume.Encoding{{64}, {64, 0, 40}}},
		"counted after it":      {[]uint16{64, 0, 0, 40}, "COL", "62.5", none, volume.Encoding{{64}, {40}}},
		"no share":              {[]uint16{64, 0, 0, 64}, "COL", "0", "-3", volume.Encoding{{64}, {64}}},
		"no direction":          {[]uint16{64, 0, 0, 64}, "", none, none, volume.Encoding{}},
		"no matrix":             {nil, "COL", none, none, volume.Encoding{}},
		"half a matrix":         {[]uint16{64, 64}, "COL", none, none, volume.Encoding{}},
	} {
		elements := [][]byte{text(part10.TagPercentSampling, c.sampling), text(part10.TagPercentPhaseFieldOfView, c.field)}
		if c.matrix != nil {
			var values []byte
			for _, n := range c.matrix {
				values = binary.LittleEndian.AppendUint16(values, n)
			}
			elements = append(elements, part10.AppendElement(nil, part10.ExplicitLE, part10.TagAcquisitionMatrix, "US", values))
		}
		elements = append(elements, text(part10.TagInPlanePhaseEncodingDirection, c.direction))
		if got := encoding(attributes(t, elements...)); got != c.want || got.Stated(1) != (c.want != volume.Encoding{}) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
