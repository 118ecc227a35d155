package dicomweb_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"quell/io/attributes"
	"quell/io/dicomweb"
	"quell/io/dimse/dimsetest"
)

// bundled returns n instances of one series, and their bytes by UID.
func bundled(t testing.TB, n int) (all []dicomweb.Instance, bodies map[string][]byte) {
	t.Helper()
	bodies = map[string][]byte{}
	for _, s := range dimsetest.Slices(t, "../../assets", n) {
		bodies[s.UID] = s.File
		all = append(all, dicomweb.Instance{
			Study: s.Study, Series: s.Series, UID: s.UID, Size: int64(len(s.File)),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(s.File)), nil },
		})
	}
	return all, bodies
}

// roundTrip stores instances, finds their series and retrieves them byte for byte.
func roundTrip(t testing.TB, c *dicomweb.Client, all []dicomweb.Instance, bodies map[string][]byte) {
	t.Helper()
	ctx := context.Background()
	r, err := c.Store(ctx, all)
	if err != nil || r.Stored != len(all) || r.Verified != len(all) {
		t.Fatalf("%+v, %v", r, err)
	}
	found, err := c.Series(ctx, "", dicomweb.Query{
		Match: map[string]string{"SeriesInstanceUID": all[0].Series, "Modality": "CT"}, Include: []string{"NumberOfSeriesRelatedInstances"}, Most: 5,
	})
	if err != nil || len(found.Found) != 1 || found.More {
		t.Fatalf("%d series, %v", len(found.Found), err)
	}
	series := found.Found[0]
	want, ok := series.Count(attributes.SeriesInstances)
	if !ok || want != len(all) || series.Text(attributes.StudyInstanceUID) != all[0].Study {
		t.Fatalf("a series of %d instances of study %s", want, series.Text(attributes.StudyInstanceUID))
	}
	same := 0
	retrieval := dicomweb.Retrieval{Study: all[0].Study, Series: all[0].Series, Want: want}
	n, err := c.Retrieve(ctx, retrieval, func(instance io.Reader) error {
		b, err := io.ReadAll(instance)
		for uid, body := range bodies {
			if bytes.Equal(b, body) {
				delete(bodies, uid)
				same++
				break
			}
		}
		return err
	})
	if err != nil || n != len(all) || same != n {
		t.Fatalf("%d instances came back, %d of them byte for byte, %v", n, same, err)
	}
}

// TestOrthanc exchanges the bundled series with an archive by others.
func TestOrthanc(t *testing.T) {
	basic := must(t)(dicomweb.Basic("user", "pass"))
	base := dimsetest.Orthanc(t, 1).Web
	c, err := dicomweb.New(dicomweb.Config{Base: base, Authorization: basic, PageSize: 4, StoreBytes: 2e6})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	all, bodies := bundled(t, 9)
	roundTrip(t, c, all, bodies)

	ctx := context.Background()
	one := dicomweb.Retrieval{Study: all[0].Study, Series: all[0].Series, Instance: all[3].UID}
	if n, err := c.Retrieve(ctx, one, func(io.Reader) error { return nil }); n != 1 || err != nil {
		t.Errorf("%d instances, %v", n, err)
	}
	for _, most := range []int{8, 9, 10} { // around the number that is there
		r, err := c.Instances(ctx, all[0].Study, all[0].Series, dicomweb.Query{Most: most})
		if err != nil || len(r.Found) != min(9, most) || r.More != (most < 9) {
			t.Errorf("of 9 at most %d: %d, more %v, %v", most, len(r.Found), r.More, err)
		}
	}
	if r, err := c.Studies(ctx, dicomweb.Query{Match: map[string]string{"PatientID": "nobody"}, Most: 1}); err != nil || len(r.Found) != 0 {
		t.Errorf("%d studies of nobody, %v", len(r.Found), err)
	}
	if r, err := c.Store(ctx, all[:2]); err != nil || r.Verified != 2 {
		t.Errorf("sent again: %+v, %v", r, err)
	}
	foreign := dicomweb.Instance{Study: "1.2", Series: "1.3", UID: "1.4", Size: 4, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("text")), nil }}
	if r, err := c.Store(ctx, []dicomweb.Instance{foreign}); err == nil || r.Verified != 0 {
		t.Errorf("no DICOM: %+v", r)
	}
	absent := dicomweb.Retrieval{Study: all[0].Study, Series: "1.2.3"}
	if n, err := c.Retrieve(ctx, absent, func(io.Reader) error { return nil }); n != 0 {
		t.Errorf("%d instances of a series that is not there, %v", n, err)
	}
	stranger, err := dicomweb.New(dicomweb.Config{Base: base})
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	wantError(t, searchOnce(stranger), "it does not accept the sign-in (HTTP 401)")
}

// BenchmarkOrthanc stores, verifies, finds and retrieves 300 slices of 512 x 512 voxels.
func BenchmarkOrthanc(b *testing.B) {
	basic, err := dicomweb.Basic("user", "pass")
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		b.StopTimer()
		c, err := dicomweb.New(dicomweb.Config{Base: dimsetest.Orthanc(b, 1).Web, Authorization: basic})
		if err != nil {
			b.Fatal(err)
		}
		all, bodies := bundled(b, 300)
		b.StartTimer()
		roundTrip(b, c, all, bodies)
		c.Close()
	}
}
