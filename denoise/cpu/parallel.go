package cpu

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"quell/denoise"
	"quell/volume"
)

// A worker filters one tile after another with scratch memory of its own. It
// looks at stop between steps of a millisecond or so and returns early when it
// is set.
type worker func(tile volume.Region, stop *atomic.Bool)

// runTiles gives the tiles in turn to at most threads workers and waits. It
// returns the context's error on cancel, and a worker's panic as an error.
func runTiles(ctx context.Context, threads int, tiles []volume.Region, progress denoise.Progress, newWorker func() worker) error {
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()

	done := counter{report: progress}
	for _, t := range tiles {
		done.total += int64(t.Voxels())
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	failed := make(chan error, threads)
	for range min(threads, len(tiles)) {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					stop.Store(true)
					failed <- fmt.Errorf("the cpu engine failed: %v\n%s", p, debug.Stack())
				}
			}()
			work := newWorker()
			for !stop.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(tiles) {
					return
				}
				work(tiles[i], &stop)
				if !stop.Load() {
					done.add(int64(tiles[i].Voxels()))
				}
			}
		})
	}
	wg.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return ctx.Err()
	}
}

// counter adds up voxels and reports them, one call at a time.
type counter struct {
	mu          sync.Mutex
	done, total int64
	report      denoise.Progress
}

func (c *counter) add(n int64) {
	if c.report == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
	c.report(c.done, c.total)
}

// cut divides a region into tiles of at most size voxels along each axis, as
// even as they come, x fastest.
func cut(r volume.Region, size [3]int) []volume.Region {
	var edges [3][]int
	for c, d := range r.Dims() {
		n := (d + size[c] - 1) / size[c]
		for i := range n + 1 {
			edges[c] = append(edges[c], r.Min[c]+i*d/n)
		}
	}
	var tiles []volume.Region
	for z := range len(edges[2]) - 1 {
		for y := range len(edges[1]) - 1 {
			for x := range len(edges[0]) - 1 {
				tiles = append(tiles, volume.Region{
					Min: [3]int{edges[0][x], edges[1][y], edges[2][z]},
					Max: [3]int{edges[0][x+1], edges[1][y+1], edges[2][z+1]},
				})
			}
		}
	}
	return tiles
}
