package dimse_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/io/attributes"
	"quell/io/dimse"
	"quell/io/dimse/dimsetest"
)

// exchange stores slices on a node, finds their series and retrieves them. What comes back must have the
// data sets byte for byte.
func exchange(t testing.TB, n dimse.Node, all []dimsetest.Slice) {
	t.Helper()
	ctx := context.Background()
	store, err := dimse.Dial(ctx, n, config, []dimse.Context{all[0].Context})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]byte{}
	for _, s := range all {
		want[s.UID] = s.File[s.Start:]
		if answer, err := store.Store(ctx, s.Instance()); err != nil || answer.Status != 0 {
			t.Fatal(answer, err)
		}
	}
	if err := store.Release(ctx); err != nil {
		t.Fatal(err)
	}

	find, err := dimse.Dial(ctx, n, config, dimse.FindContexts())
	if err != nil {
		t.Fatal(err)
	}
	studies, err := find.Studies(ctx, attributes.Query{Match: map[string]string{"StudyInstanceUID": all[0].Study}, Most: 5})
	if err != nil || len(studies.Found) != 1 || studies.More {
		t.Fatalf("%d studies, %v", len(studies.Found), err)
	}
	series, err := find.Series(ctx, studies.Found[0].Text(attributes.StudyInstanceUID), attributes.Query{Match: map[string]string{"Modality": "CT"}, Most: 5})
	if err != nil || len(series.Found) != 1 {
		t.Fatalf("%d series, %v", len(series.Found), err)
	}
	uid := series.Found[0].Text(attributes.SeriesInstanceUID)
	instances, err := find.Instances(ctx, all[0].Study, uid, attributes.Query{Most: len(all)})
	if err != nil || len(instances.Found) != len(all) || instances.More {
		t.Fatalf("%d instances, more %v, %v", len(instances.Found), instances.More, err)
	}
	if few, err := find.Instances(ctx, all[0].Study, uid, attributes.Query{Most: len(all) - 1}); err != nil || len(few.Found) != len(all)-1 || !few.More {
		t.Fatalf("%d instances, more %v, %v", len(few.Found), few.More, err)
	}
	if none, err := find.Studies(ctx, attributes.Query{Match: map[string]string{"PatientID": "nobody"}, Most: 5}); err != nil || len(none.Found) != 0 {
		t.Fatalf("%v, %v", none, err)
	}
	if err := find.Release(ctx); err != nil {
		t.Fatal(err)
	}

	get, err := dimse.Dial(ctx, n, config, dimse.GetContexts(instances.Found[0].Text(attributes.SOPClassUID)))
	if err != nil {
		t.Fatal(err)
	}
	count, err := get.Get(ctx, attributes.Retrieval{Study: all[0].Study, Series: uid, Want: len(all)}, func(a *dimse.Arrival) error {
		b, err := io.ReadAll(a)
		if !bytes.HasSuffix(b, want[a.UID]) || string(b[128:132]) != "DICM" {
			t.Errorf("%s came back with other bytes", a.UID)
		}
		delete(want, a.UID)
		return err
	})
	if err != nil || count != len(all) || len(want) != 0 {
		t.Fatalf("%d of %d came back, %v", count, len(all), err)
	}
	absent := attributes.Retrieval{Study: all[0].Study, Series: "1.2.3", Want: 1}
	if count, err := get.Get(ctx, absent, func(*dimse.Arrival) error { return nil }); err == nil || count != 0 {
		t.Errorf("%d instances of a series that is not there", count)
	}
	one := attributes.Retrieval{Study: all[0].Study, Series: uid, Instance: all[2].UID, Want: 1}
	if count, err := get.Get(ctx, one, func(*dimse.Arrival) error { return nil }); err != nil || count != 1 {
		t.Errorf("%d instances, %v", count, err)
	}
	if _, err := get.Get(ctx, one, func(*dimse.Arrival) error { return io.ErrShortBuffer }); !errors.Is(err, io.ErrShortBuffer) {
		t.Errorf("an error of the caller became %v", err)
	}
	get.Abort()
}

// TestOrthanc exchanges the bundled series with an archive by others, and lets it send them to a receiver.
func TestOrthanc(t *testing.T) {
	back := dimsetest.FreePort(t)
	archive, all := dimsetest.Orthanc(t, back), dimsetest.Slices(t, "../../assets", 9)
	exchange(t, archive.Node, all)

	f, dir := folder(t, 1<<30)
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", back))
	if err != nil {
		t.Fatal(err)
	}
	receive(t, &dimse.Receiver{Handler: keeper{f}, AETitle: "QUELL"}, listener)
	if sendsAll(t, archive.Web); len(names(t, dir)) != 9 {
		t.Errorf("%d files", len(names(t, dir)))
	}
}

// sendsAll has an archive send its studies to the node that it knows as quell.
func sendsAll(t *testing.T, url string) {
	t.Helper()
	url = strings.TrimSuffix(url, "/dicom-web")
	ask := func(method, path, body string) (answer []byte) {
		q, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		q.SetBasicAuth("user", "pass")
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if answer, err = io.ReadAll(r.Body); err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %s, %v", path, r.Status, answer, err)
		}
		return answer
	}
	var studies []string
	if err := json.Unmarshal(ask(http.MethodGet, "/studies", ""), &studies); err != nil {
		t.Fatal(err)
	}
	for _, study := range studies {
		ask(http.MethodPost, "/modalities/quell/store", study)
	}
}

// BenchmarkOrthanc stores, finds and retrieves 300 slices of 512 x 512 voxels.
func BenchmarkOrthanc(b *testing.B) {
	for range b.N {
		b.StopTimer()
		node, all := dimsetest.Orthanc(b, 1).Node, dimsetest.Slices(b, "../../assets", 300)
		b.StartTimer()
		exchange(b, node, all)
	}
}

// TestDcmqrscp exchanges the bundled series with the archive of dcmtk.
func TestDcmqrscp(t *testing.T) {
	port, dir := dimsetest.FreePort(t), t.TempDir()
	settings := fmt.Sprintf("NetworkTCPPort = %d\nMaxPDUSize = 16384\nMaxAssociations = 16\nHostTable BEGIN\nHostTable END\nVendorTable BEGIN\nVendorTable END\nAETable BEGIN\nQR %s RW (200, 1024mb) ANY\nAETable END\n", port, dir)
	config := filepath.Join(dir, "dcmqrscp.cfg")
	if err := os.WriteFile(config, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	dimsetest.Dcmtk(t, "dcmqrscp", "-c", config)
	n := dimse.Node{AETitle: "QR", Host: "127.0.0.1", Port: port}
	untilItListens(t, n)
	exchange(t, n, dimsetest.Slices(t, "../../assets", 5))
}
