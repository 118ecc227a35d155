package batch

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"quell/io/atomic"
)

// shardOf returns which units, that List sorted by name, belong to a shard of n, counted from 0.
// The shards have about the same size: from the largest unit to the smallest, each goes to the
// shard that has the fewest bytes so far, then the fewest units. That depends on names and sizes
// alone, so that it is the same on every machine that sees the same inputs.
func shardOf(units []Unit, shard, n int) (mine []Unit) {
	order := make([]int, len(units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(units[b].Bytes, units[a].Bytes) })
	type load struct {
		bytes int64
		units int
	}
	loads := make([]load, n)
	taken := make([]bool, len(units))
	for _, i := range order {
		least := 0
		for s, l := range loads {
			if l.bytes < loads[least].bytes || l.bytes == loads[least].bytes && l.units < loads[least].units {
				least = s
			}
		}
		loads[least].bytes += units[i].Bytes
		loads[least].units++
		taken[i] = least == shard
	}
	for i, u := range units {
		if taken[i] {
			mine = append(mine, u)
		}
	}
	return mine
}

// listID identifies the work of a run: the settings, and the inputs with their sizes.
func (b *batch) listID() string {
	texts := []string{b.settings}
	for _, u := range b.units {
		texts = append(texts, u.Name, strconv.FormatInt(u.Bytes, 10))
	}
	return identify(texts...)
}

// partPath is the path at which a shard that is done leaves the list that it was a
// part of.
func (s store) partPath(shard, shards int) string {
	return filepath.Join(s.dir(), fmt.Sprintf("part-%d-of-%d", shard+1, shards))
}

// finishPart notes that a shard is done, of more than one.
func (b *batch) finishPart() error {
	if b.o.Shards == 1 {
		return nil
	}
	return atomic.WriteFile(b.store.partPath(b.o.Shard, b.o.Shards), []byte(b.listID()), 0o666)
}

// pending returns the shards, counted from 1, that are not done over this list. As shards go by
// size, one that was done over other inputs may have left out what belongs to it now.
func (b *batch) pending() (parts []int) {
	list := b.listID()
	for i := range b.o.Shards {
		if data, err := os.ReadFile(b.store.partPath(i, b.o.Shards)); b.o.Shards > 1 && (err != nil || string(data) != list) {
			parts = append(parts, i+1)
		}
	}
	return parts
}
