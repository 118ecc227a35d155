package batch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// TestShardsAreEven: no shard is larger than the smallest one by more than a unit, in bytes and,
// for units of one size, in number; each unit is in one.
func TestShardsAreEven(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, x := range []struct{ units, shards int }{{6, 5}, {150, 5}, {700, 7}, {3, 5}, {1, 1}, {0, 3}} {
		for _, sizes := range []string{"equal", "random", "none"} {
			var units []Unit
			largest := int64(0)
			for i := range x.units {
				u := Unit{Name: fmt.Sprintf("s%03d", i)}
				switch sizes {
				case "equal":
					u.Bytes = 1000
				case "random":
					u.Bytes = int64(random.ExpFloat64() * 1e6)
				}
				units, largest = append(units, u), max(largest, u.Bytes)
			}
			var names []string
			var bytes []int64
			var counts []int
			for shard := range x.shards {
				mine := shardOf(units, shard, x.shards)
				total := int64(0)
				for _, u := range mine {
					names, total = append(names, u.Name), total+u.Bytes
				}
				bytes, counts = append(bytes, total), append(counts, len(mine))
			}
			slices.Sort(names)
			if n := len(slices.Compact(slices.Clone(names))); n != x.units || len(names) != n {
				t.Errorf("%+v: %d of them, %d different", x, len(names), n)
			}
			if slices.Max(bytes)-slices.Min(bytes) > largest || sizes != "random" && slices.Max(counts)-slices.Min(counts) > 1 {
				t.Errorf("%+v of %s size: %v bytes, %v units", x, sizes, bytes, counts)
			}
		}
	}
}

// TestPendingShards: a summary names the shards that are not done over the same inputs.
func TestPendingShards(t *testing.T) {
	c := newCohort(t)
	for i := range 6 {
		c.nii(fmt.Sprintf("s%d.nii", i), i)
	}
	part := func(shard int, want ...int) Summary {
		t.Helper()
		o := c.options()
		o.Shard, o.Shards = shard-1, 3
		s := c.run(o)
		equal(t, fmt.Sprintf("pending after part %d", shard), s.Pending, want)
		return s
	}
	part(2, 1, 3)
	part(3, 1)
	equal(t, "done by the last part", part(1).Done, 2)
	c.must(os.Truncate(c.nii("s9.nii", 9), 700)) // changes the parts
	part(2, 1, 3)
	part(1, 3)
	part(3)
	equal(t, "without parts", c.run(c.options()).Pending, []int(nil))
	equal(t, "rows", len(c.rows()), 7)
}
