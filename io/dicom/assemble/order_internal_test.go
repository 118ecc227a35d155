package assemble

import (
	"slices"
	"testing"

	"quell/io/dicom/instance"
)

// TestOrderOfAcquisition keeps the volumes of a 4-D series in the order of their instance
// numbers, however many axes they lie on, and whether the scanner counts volume by volume
// or position by position.
func TestOrderOfAcquisition(t *testing.T) {
	b := func(values ...string) func(v int, s *instance.Slice) {
		return func(v int, s *instance.Slice) {
			set(s, "b-value", values[v])
			if values[v] != "0" {
				set(s, "direction", []string{`1\0\0`, `0\1\0`, `0\0\1`}[v%3])
			}
		}
	}
	for name, c := range map[string]struct {
		volumes int
		change  func(v int, s *instance.Slice)
		want    []int // the volumes as they were acquired, in the order of the group
	}{
		"shells interleaved, b-value 0 repeated": {7, b("0", "1000", "2000", "0", "1000", "2000", "0"), []int{0, 1, 2, 3, 4, 5, 6}},
		"b-value falls":                          {3, b("2000", "1000", "0"), []int{0, 1, 2}},
		"direction and b-value repeated":         {6, b("0", "700", "700", "0", "700", "700"), []int{0, 1, 2, 3, 4, 5}},
		"inversion times":                        {3, func(v int, s *instance.Slice) { set(s, "inversion time", []string{"900", "50", "300"}[v]) }, []int{0, 1, 2}},
		// Echoes are series of their own, each in time; acquired are pairs of them.
		"echoes in time": {4, func(v int, s *instance.Slice) {
			set(s, "echo time", []string{"5", "15"}[v%2])
			set(s, "temporal position", []string{"1", "2"}[v/2])
		}, []int{0, 2, 1, 3}},
		"echo of 15 ms first": {2, func(v int, s *instance.Slice) { set(s, "echo time", []string{"15", "5"}[v]) }, []int{0, 1}},
		// Nothing but the values says which was the first.
		"echoes counted by themselves": {2, func(v int, s *instance.Slice) {
			s.Number %= 10
			set(s, "echo time", []string{"15", "5"}[v])
		}, []int{1, 0}},
		"kinds": {4, func(v int, s *instance.Slice) {
			set(s, "image type", []string{"P", "M"}[v%2])
			set(s, "b-value", []string{"1000", "0"}[v/2])
		}, []int{1, 3, 0, 2}},
	} {
		for _, counted := range []string{"by volume", "by position", "by position, the last first"} {
			volume := map[*instance.Slice]int{}
			images := series4D(c.volumes, func(v int, s *instance.Slice) {
				z := s.Number % 10
				switch counted {
				case "by position":
					s.Number = 10*z + v
				case "by position, the last first":
					s.Number = 10*(9-z) + v
				}
				c.change(v, s)
				volume[s] = v
			})
			if name == "echoes counted by themselves" && counted != "by volume" {
				continue
			}
			var got []int
			for _, e := range Entries(images) {
				got = append(got, volume[e.Stack[0]])
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s, counted %s: volumes %v, want %v", name, counted, got, c.want)
			}
		}
	}
}

// TestOrderOfFragment places an aborted volume by the position that most volumes have, although
// its own first slice has another number there.
func TestOrderOfFragment(t *testing.T) {
	images := series4D(3, func(v int, s *instance.Slice) {
		s.Number = s.Number%10*10 + v // position by position
		set(s, "b-value", []string{"1000", "0", "500"}[v])
	})
	// The volume of b-value 1000 lacks its first slice.
	images = slices.DeleteFunc(images, func(s *instance.Slice) bool { return s.Number == 0 })
	parts := splitVolumes(candidate{slices: images})
	slices.Reverse(parts)
	sortByAcquisition(parts)
	var got []string
	for _, p := range parts {
		got = append(got, p.label)
	}
	if want := []string{"b-value 1000", "b-value 0", "b-value 500"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
