package denoise

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// DeviceUse is what one device did in the runs of an engine that has several.
type DeviceUse struct {
	Device   string  `json:"device"`             // its name
	ID       string  `json:"id"`                 // distinguishes devices of one name
	Seconds  float64 `json:"seconds"`            // from the start of its parts of the runs to their results in memory
	Voxels   int64   `json:"voxels"`             // of these results
	Failures int     `json:"failures,omitempty"` // parts at which it failed, so that another device or worker repeated them
	Reason   string  `json:"reason,omitempty"`   // of the last failure
}

// DeviceLog adds up what each device did. The nil log forgets it. It is safe for
// concurrent use.
type DeviceLog struct {
	mu  sync.Mutex
	all []DeviceUse
}

type deviceLog struct{}

// LogDevices returns a context under which engines log what their devices do.
func LogDevices(ctx context.Context) (context.Context, *DeviceLog) {
	l := &DeviceLog{}
	return context.WithValue(ctx, deviceLog{}, l), l
}

// DeviceLogOf returns the log of a context, nil if it has none.
func DeviceLogOf(ctx context.Context) *DeviceLog {
	l, _ := ctx.Value(deviceLog{}).(*DeviceLog)
	return l
}

// Add adds u to what the device of its ID did before.
func (l *DeviceLog) Add(u DeviceUse) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.all {
		if o := &l.all[i]; o.ID == u.ID {
			o.Seconds += u.Seconds
			o.Voxels += u.Voxels
			o.Failures += u.Failures
			o.Reason = cmp.Or(u.Reason, o.Reason)
			return
		}
	}
	l.all = append(l.all, u)
}

// All returns the devices, in the order of their first use; nil for none.
func (l *DeviceLog) All() []DeviceUse {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}
