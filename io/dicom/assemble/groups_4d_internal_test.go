package assemble

import (
	"math"
	"testing"

	"quell/io/dicom/instance"
)

// series4D returns the slices of volumes of three slices and applies change to each.
func series4D(volumes int, change func(volume int, s *instance.Slice)) []*instance.Slice {
	var out []*instance.Slice
	for v := range volumes {
		for z := range 3 {
			s := at(10*v+z, 0, 0, float64(z))
			s.Meta.UID = "1"
			change(v, s)
			out = append(out, s)
		}
	}
	return out
}

// set gives a slice the value of a distinction.
func set(s *instance.Slice, name, value string) {
	for i, d := range instance.Distinctions {
		if d.Name == name {
			s.Distinctions[i] = value
		}
	}
}

// TestGroups forms a 4-D series of the volumes that were divided along an axis, and none of images
// of different kinds.
func TestGroups(t *testing.T) {
	for name, c := range map[string]struct {
		change func(v int, s *instance.Slice)
		axis   string
		size   int // of the first volume's group
		last   string
	}{
		"time":    {func(v int, s *instance.Slice) { set(s, "temporal position", string('1'+rune(v))) }, "temporal position", 4, "temporal position 4"},
		"echo":    {func(v int, s *instance.Slice) { set(s, "echo time", string('5'+rune(v))) }, "echo time", 4, "echo time 8 ms"},
		"nothing": {func(v int, s *instance.Slice) {}, "repeat", 4, "repeat 4 of 4"},
		"kinds":   {func(v int, s *instance.Slice) { set(s, "image type", []string{"M", "P", "R", "I"}[v]) }, "", 0, ""},
		"diffusion": {func(v int, s *instance.Slice) {
			set(s, "b-value", []string{"0", "1000", "1000", "1000"}[v])
			set(s, "direction", []string{"", `0\1`, `1\0`, `1\1`}[v])
		}, "b-value, direction", 4, `b-value 1000 s/mm2, direction 1 1`},
		"two kinds": {func(v int, s *instance.Slice) {
			set(s, "image type", []string{"M", "P", "M", "P"}[v])
			set(s, "temporal position", []string{"1", "1", "2", "2"}[v])
		}, "temporal position", 2, "temporal position 2"},
		"moved by less than half of the width": {func(v int, s *instance.Slice) {
			set(s, "temporal position", string('1'+rune(v)))
			if v == 3 {
				s.Position[0] += 0.99
			}
		}, "temporal position", 4, "temporal position 4"},
		"moved by more": {func(v int, s *instance.Slice) {
			set(s, "temporal position", string('1'+rune(v)))
			if v == 3 {
				s.Position[0] += 1.01
			}
		}, "temporal position", 3, "temporal position 3"},
		"rounded": {func(v int, s *instance.Slice) {
			set(s, "temporal position", string('1'+rune(v)))
			if v == 3 {
				s.Position[0] += 0.009
			}
		}, "temporal position", 4, "temporal position 4"},
	} {
		entries := Entries(series4D(4, c.change))
		if len(entries) != 4 {
			t.Errorf("%s: %d entries", name, len(entries))
			continue
		}
		g := entries[0].Group
		if (g != nil) != (c.size > 0) {
			t.Errorf("%s: group %v", name, g)
			continue
		}
		if g == nil {
			continue
		}
		if g.Len() != c.size || g.Axis() != c.axis || g.Places[g.Len()-1].String() != c.last {
			t.Errorf("%s: %d volumes along %q, the last %q", name, g.Len(), g.Axis(), g.Places[g.Len()-1])
		}
		n := 0
		for _, e := range entries {
			if e.Group == g {
				if e.GroupIndex != n {
					t.Errorf("%s: index %d of %d", name, e.GroupIndex, n)
				}
				n++
			}
		}
		if n != c.size {
			t.Errorf("%s: %d members", name, n)
		}
	}
	// Series of their own are no group, and a volume that cannot be loaded is in none.
	if e := Entries(series4D(2, func(v int, s *instance.Slice) { s.Meta.UID = string('1' + rune(v)) })); e[0].Group != nil {
		t.Error("two series form a group")
	}
}

// TestTimeStep finds the seconds between volumes if the files give them evenly.
func TestTimeStep(t *testing.T) {
	for name, c := range map[string]struct {
		axis   string
		values []string
		want   float64
	}{
		"clock":            {"acquisition time", []string{"95958.5", "100001", "100003.5"}, 2.5},
		"date":             {"acquisition time", []string{"2.0260101235959e+13", "2.0260102000001e+13", "2.0260102000003e+13"}, 2},
		"offset":           {"acquisition time", []string{"20260101235959.00+0100", "20260102000001.00+0100", "20260102000003.00+0100"}, 2},
		"milliseconds":     {"trigger time", []string{"0", "40", "80"}, 0.04},
		"2 % off":          {"trigger time", []string{"0", "1019", "2000"}, 1},
		"more than 2 %":    {"trigger time", []string{"0", "1021", "2000"}, 0},
		"not of time":      {"echo time", []string{"0", "40", "80"}, 0},
		"at once":          {"temporal position", []string{"1", "2", "3"}, 0},
		"impossible clock": {"acquisition time", []string{"1e14", "2e14", "3e14"}, 0},
	} {
		entries := Entries(series4D(3, func(v int, s *instance.Slice) { set(s, c.axis, c.values[v]) }))
		if g := entries[0].Group; g == nil || math.Abs(g.Step-c.want) > 1e-6 {
			t.Errorf("%s: %+v, want %g", name, g, c.want)
		}
	}
	// The first of the slices counts.
	entries := Entries(series4D(2, func(v int, s *instance.Slice) {
		set(s, "temporal position", string('1'+rune(v)))
		set(s, "acquisition time", map[int]string{0: "101502", 1: "101500", 2: "101501", 10: "101510", 11: "101508", 12: "101506"}[s.Number])
	}))
	if g := entries[0].Group; g == nil || g.Step != 6 {
		t.Errorf("%+v", g)
	}
}
