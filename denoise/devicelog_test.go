package denoise

import (
	"context"
	"reflect"
	"sync"
	"testing"
)

// A log adds up by the IDs of devices, from any goroutine; a context without one forgets.
func TestDeviceLog(t *testing.T) {
	ctx, log := LogDevices(context.Background())
	if log.All() != nil {
		t.Error("a new log is not empty")
	}
	DeviceLogOf(context.Background()).Add(DeviceUse{ID: "a"})
	DeviceLogOf(ctx).Add(DeviceUse{Device: "GPU", ID: "b", Seconds: 1, Voxels: 10, Failures: 1, Reason: "lost"})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { DeviceLogOf(ctx).Add(DeviceUse{Device: "GPU", ID: "a", Seconds: 0.5, Voxels: 3, Failures: 2}) })
	}
	all.Wait()
	want := []DeviceUse{{"GPU", "b", 1, 10, 1, "lost"}, {"GPU", "a", 10, 60, 40, ""}}
	got := log.All()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v; want %+v", got, want)
	}
	got[0].Seconds = 9
	if log.All()[0].Seconds != 1 {
		t.Error("the list is the log's own")
	}
}
