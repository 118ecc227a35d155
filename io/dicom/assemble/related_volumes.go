package assemble

import (
	"maps"
	"slices"
	"strings"

	"quell/internal/message"
	"quell/series"
)

// related collects the other volumes of a series that differ from a volume in the same
// way.
type related struct {
	volumes, images int
	named           []*Entry // the first of them
}

// namedRelated is the number of volumes that a finding names.
const namedRelated = 4

// add adds the volumes of one grid, which have that many images together; e itself is
// not named.
func (s *related) add(grid []*Entry, images int, e *Entry) {
	s.volumes += len(grid)
	s.images += images
	for i := 0; i < len(grid) && len(s.named) < namedRelated; i++ {
		if grid[i] != e {
			s.named = append(s.named, grid[i])
		}
	}
}

// reportRelated adds to each entry the findings that list the other volumes of its
// series. Relations are computed once per grid, since a series may have thousands of
// volumes on one grid.
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

// ofSameGrid is the kind of finding about volumes that share their grid.
const ofSameGrid = series.Volumes

// relationKind returns the kind of finding that e gets about another volume.
func relationKind(e, other *Entry) series.Kind {
	a, b := e.Stack[0], other.Stack[0]
	switch {
	case e.Group != nil && e.Group == other.Group: // volumes that a scanner turned a little, too
		return ofSameGrid
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
	what := message.Verbatim(strings.Join(labels, "; "))
	if more := s.volumes - len(labels); more > 0 {
		what = message.Text("%s; and %d more", what, more)
	}
	if kind == ofSameGrid {
		f.Severity = series.Warning
		f.Text = message.Text("The series contains %d volumes of this size and direction; this is one, the others are: %s; each is filtered separately.", s.volumes+1, what)
		return f
	}
	advice := message.Text("they are listed as volumes of their own")
	if s.images == 1 {
		advice = message.Text("it is listed as a volume of its own")
	}
	f.Text = message.Text("%s %s cannot be in this volume (%s); %s.", message.Count(s.images, "image", "images"), s.trait(kind), what, advice)
	return f
}

// trait describes what keeps related volumes of a kind out of a volume.
func (s *related) trait(kind series.Kind) message.Message {
	other := s.named[0].Stack[0]
	switch {
	case kind == series.Position && other.Placed:
		return message.Text("with a position in space")
	case kind == series.Position:
		return message.Text("without a position in space")
	case kind == series.Localizer && other.Localizer():
		return message.Text("of a localizer")
	case kind == series.Localizer:
		return message.Text("that is no localizer")
	case kind == series.Orientation:
		return message.Text("of another orientation")
	}
	return message.Text("of another size or pixel spacing")
}
