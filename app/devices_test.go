package app_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open"
	"quell/denoise"
	"quell/volume"
)

// devicesEngine returns its input, as if two devices had filtered it.
type devicesEngine struct{ apptest.EngineFunc }

func (e devicesEngine) Run(ctx context.Context, _ denoise.Recipe, in denoise.Input, region volume.Region, _ denoise.Progress) (*volume.Volume, error) {
	log := denoise.DeviceLogOf(ctx)
	log.Add(denoise.DeviceUse{Device: "GPU", ID: "a", Seconds: 0.25, Voxels: 3})
	log.Add(denoise.DeviceUse{Device: "GPU", ID: "b", Seconds: 0.5, Voxels: 4, Failures: 1, Reason: "it was lost"})
	return in.Volume.Crop(region), nil
}

// A report states what each GPU did, of a 4-D series all volumes together, and nothing
// if no GPU did.
func TestReportsNameTheDevices(t *testing.T) {
	j := medianJob(t)
	in, err := open.Open(t.Context(), j.Input, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	report, err := app.DoOn(t.Context(), app.On{Series: in.Series, Engine: devicesEngine{}}, job.Job{Recipe: j.Recipe}, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	const want = `"devices":[{"device":"GPU","id":"a","seconds":0.25,"voxels":3},{"device":"GPU","id":"b","seconds":0.5,"voxels":4,"failures":1,"reason":"it was lost"}]`
	if !strings.Contains(string(data), want) {
		t.Errorf("%s; want %s", data, want)
	}

	if w := report.Warnings; len(w) != 1 || w[0].String() != "GPU failed while it filtered (it was lost); that part was filtered again, and nothing is missing" {
		t.Errorf("warnings %q", w)
	}

	_, group := groupJob(t, "out.nii")
	c, err := open.Scan(t.Context(), group.Input.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	report, err = app.DoGroup(t.Context(), c, 0, devicesEngine{}, group, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	if d := report.Devices; len(d) != 2 || d[0].Seconds != 0.75 || d[1].Voxels != 12 || d[1].Failures != 3 {
		t.Errorf("devices of three volumes: %+v", d)
	}

	if report, err = app.Do(t.Context(), j, job.Events{}); err != nil || report.Devices != nil {
		t.Errorf("devices of the CPU: %+v, %v", report.Devices, err)
	}
}
