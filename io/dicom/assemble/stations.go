package assemble

import (
	"math"
	"slices"
	"strconv"

	"quell/io/dicom/instance"
)

// stationsApart is the sideways distance in mm from which slices of one height are images
// of another station and not repetitions.
const stationsApart = 10

// maxStations is more stations than a body has.
const maxStations = 64

// stations groups slices by their place within the plane: a body that is longer than
// the field of view is imaged in several stations. Groups are named by number. It
// returns nil for more than most groups: in a sheared grid every slice has another
// place.
func stations(images []*instance.Slice, most int) map[string][]*instance.Slice {
	var groups [][]*instance.Slice
	for _, image := range images {
		i := slices.IndexFunc(groups, func(g []*instance.Slice) bool {
			d := image.Position.Sub(g[0].Position)
			return math.Hypot(d.Dot(image.Row), d.Dot(image.Column)) < stationsApart
		})
		if i < 0 {
			if i = len(groups); i == min(most, maxStations) {
				return nil
			}
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], image)
	}
	named := map[string][]*instance.Slice{}
	for i, g := range groups {
		named[strconv.Itoa(i+1)] = g
	}
	return named
}
