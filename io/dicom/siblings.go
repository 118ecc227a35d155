package dicom

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"quell/series"
)

// siblings are the other volumes of a series that stand in one relation to a
// volume.
type siblings struct {
	volumes, images int
	named           []*Entry // the first of them
}

// namedSiblings is how many a finding names.
const namedSiblings = 4

// add takes in the volumes of one grid, which hold so many images together, without
// e itself.
func (s *siblings) add(grid []*Entry, images int, e *Entry) {
	s.volumes += len(grid)
	s.images += images
	for i := 0; i < len(grid) && len(s.named) < namedSiblings; i++ {
		if grid[i] != e {
			s.named = append(s.named, grid[i])
		}
	}
}

// tellSiblings tells every volume of a series of the others. A series may have
// thousands, most of them of one grid: what that is to another is asked once.
func tellSiblings(entries []Entry) {
	var grids [][]*Entry
	var images []int // of each grid
	for i := range entries {
		e := &entries[i]
		g := slices.IndexFunc(grids, func(g []*Entry) bool { return siblingKind(g[0], e) == ofSameGrid })
		if g < 0 {
			g = len(grids)
			grids, images = append(grids, nil), append(images, 0)
		}
		grids[g] = append(grids[g], e)
		images[g] += e.Slices
	}
	for own, grid := range grids {
		for _, e := range grid {
			byKind := map[series.Kind]*siblings{}
			for g, other := range grids {
				kind := siblingKind(e, other[0])
				if byKind[kind] == nil {
					byKind[kind] = &siblings{}
				}
				byKind[kind].add(other, images[g], e)
				if g == own {
					byKind[kind].volumes--
					byKind[kind].images -= e.Slices
				}
			}
			for _, kind := range slices.Sorted(maps.Keys(byKind)) {
				if byKind[kind].volumes > 0 {
					e.Findings = append(e.Findings, byKind[kind].finding(kind))
				}
			}
		}
	}
}

// ofSameGrid is the kind of volumes that differ in something else than their grid.
const ofSameGrid = series.Volumes

// siblingKind says what another volume is to e.
func siblingKind(e, other *Entry) series.Kind {
	a, b := e.slices[0], other.slices[0]
	switch {
	case a.turned != b.turned:
		return series.Orientation
	case a.placed != b.placed:
		return series.Position
	case b.localizer() != a.localizer():
		return series.Localizer
	case !samePlane(a, b) && a.placed && a.format.sameLayout(&b.format) && a.row.Sub(b.row).Norm()+a.col.Sub(b.col).Norm() >= sameDirection:
		return series.Orientation
	case !samePlane(a, b):
		return series.Size
	default:
		return ofSameGrid
	}
}

func (s *siblings) finding(kind series.Kind) series.Finding {
	f := series.Finding{Severity: series.Refused, Kind: kind}
	var labels []string
	for _, o := range s.named {
		labels = append(labels, o.Part)
		for _, name := range fileNames(o.slices) {
			if len(f.Files) < listedFiles && !slices.Contains(f.Files, name) {
				f.Files = append(f.Files, name)
			}
		}
	}
	if more := s.volumes - len(labels); more > 0 {
		labels = append(labels, fmt.Sprintf("and %d more", more))
	}
	what := strings.Join(labels, "; ")
	if kind == ofSameGrid {
		f.Severity = series.Warning
		f.Text = fmt.Sprintf("The series holds %d volumes of this grid; this is one, the others are: %s; each is filtered by itself.", s.volumes+1, what)
		return f
	}
	advice := "they are listed beside it, to be filtered by themselves"
	if s.images == 1 {
		advice = "it is listed beside it, to be filtered by itself"
	}
	f.Text = fmt.Sprintf("%s %s cannot be in this volume (%s); %s.", count(s.images, "image", "images"), s.trait(kind), what, advice)
	return f
}

// trait says what keeps siblings of a kind out of a volume.
func (s *siblings) trait(kind series.Kind) string {
	other := s.named[0].slices[0]
	switch {
	case kind == "position" && other.placed:
		return "with a position in space"
	case kind == "position":
		return "without a position in space"
	case kind == "localizer" && other.localizer():
		return "of a localizer"
	case kind == "localizer":
		return "of no localizer"
	case kind == "orientation":
		return "of another orientation"
	}
	return "of another size or pixel spacing"
}
