package assemble

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"quell/io/dicom/part10"
	"quell/series"
)

// related are the other volumes of a series that stand in one relation to a
// volume.
type related struct {
	volumes, images int
	named           []*Entry // the first of them
}

// namedRelated is how many a finding names.
const namedRelated = 4

// add takes in the volumes of one grid, which hold so many images together, without
// e itself.
func (s *related) add(grid []*Entry, images int, e *Entry) {
	s.volumes += len(grid)
	s.images += images
	for i := 0; i < len(grid) && len(s.named) < namedRelated; i++ {
		if grid[i] != e {
			s.named = append(s.named, grid[i])
		}
	}
}

// reportRelated tells every volume of a series of the others. A series may have
// thousands, most of them of one grid: what that is to another is asked once.
func reportRelated(entries []Entry) {
	var grids [][]*Entry
	var images []int // of each grid
	for i := range entries {
		e := &entries[i]
		g := slices.IndexFunc(grids, func(g []*Entry) bool { return relationKind(g[0], e) == ofSameGrid })
		if g < 0 {
			g = len(grids)
			grids, images = append(grids, nil), append(images, 0)
		}
		grids[g] = append(grids[g], e)
		images[g] += e.Slices
	}
	for own, grid := range grids {
		for _, e := range grid {
			byKind := map[series.Kind]*related{}
			for g, other := range grids {
				kind := relationKind(e, other[0])
				if byKind[kind] == nil {
					byKind[kind] = &related{}
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

// relationKind says what another volume is to e.
func relationKind(e, other *Entry) series.Kind {
	a, b := e.Stack[0], other.Stack[0]
	switch {
	case a.Rotated != b.Rotated:
		return series.Orientation
	case a.Placed != b.Placed:
		return series.Position
	case b.Localizer() != a.Localizer():
		return series.Localizer
	case !samePlane(a, b) && a.Placed && a.Format.SameLayout(&b.Format) && a.Row.Sub(b.Row).Norm()+a.Column.Sub(b.Column).Norm() >= sameDirection:
		return series.Orientation
	case !samePlane(a, b):
		return series.Size
	default:
		return ofSameGrid
	}
}

func (s *related) finding(kind series.Kind) series.Finding {
	f := series.Finding{Severity: series.Refused, Kind: kind}
	var labels []string
	for _, o := range s.named {
		labels = append(labels, o.Part)
		for _, name := range FileNames(o.Stack) {
			if len(f.Files) < ListedFiles && !slices.Contains(f.Files, name) {
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
	f.Text = fmt.Sprintf("%s %s cannot be in this volume (%s); %s.", part10.Count(s.images, "image", "images"), s.trait(kind), what, advice)
	return f
}

// trait says what keeps siblings of a kind out of a volume.
func (s *related) trait(kind series.Kind) string {
	other := s.named[0].Stack[0]
	switch {
	case kind == "position" && other.Placed:
		return "with a position in space"
	case kind == "position":
		return "without a position in space"
	case kind == "localizer" && other.Localizer():
		return "of a localizer"
	case kind == "localizer":
		return "of no localizer"
	case kind == "orientation":
		return "of another orientation"
	}
	return "of another size or pixel spacing"
}
