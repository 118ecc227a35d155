package denoise

import (
	"context"

	"quell/volume"
)

type arrival struct{}

// FollowArrival returns a context under which an engine that can calls begin when the first
// voxels of a run's result are final: once for each run, on a goroutine of the engine. v is
// the volume that Run will return; its voxels may be read as far as a says. The engine ends
// a: with an error if the run failed, or has to compute voxels again.
func FollowArrival(ctx context.Context, begin func(v *volume.Volume, a *volume.Arrival)) context.Context {
	return context.WithValue(ctx, arrival{}, begin)
}

// BeginArrival is called by an engine that is about to make voxels of v final. It returns nil
// if ctx was not made by FollowArrival.
func BeginArrival(ctx context.Context, v *volume.Volume) *volume.Arrival {
	begin, ok := ctx.Value(arrival{}).(func(v *volume.Volume, a *volume.Arrival))
	if !ok {
		return nil
	}
	a := volume.NewArrival()
	begin(v, a)
	return a
}
