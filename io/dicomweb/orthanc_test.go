package dicomweb_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"quell/io/attributes"
	"quell/io/dicom/part10"
	"quell/io/dicomweb"
)

const orthancPlugin = "/usr/share/orthanc/plugins/libOrthancDicomWeb.so"

// orthanc starts an empty Orthanc on loopback, whose user is "user" with the password "pass".
func orthanc(t testing.TB) (base string) {
	t.Helper()
	program, err := exec.LookPath("Orthanc")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/Orthanc")
	}
	if _, missing := os.Stat(orthancPlugin); err != nil || missing != nil {
		t.Skip("Orthanc with its plugin for DICOMweb is missing; Debian has them as orthanc and orthanc-dicomweb")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	dir := t.TempDir()
	settings, err := json.Marshal(map[string]any{
		"Name": "quell", "StorageDirectory": dir, "IndexDirectory": dir, "DicomServerEnabled": false, "HttpPort": port,
		"RemoteAccessAllowed": false, "AuthenticationEnabled": true, "RegisteredUsers": map[string]string{"user": "pass"},
		"Plugins": []string{orthancPlugin},
	})
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "orthanc.json")
	if err := os.WriteFile(config, settings, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, config)
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		<-drained
		_ = command.Wait()
	})
	lines, last := bufio.NewScanner(log), ""
	for lines.Scan() {
		if last = lines.Text(); strings.Contains(last, "Orthanc has started") {
			go func() { _, _ = io.Copy(io.Discard, log); close(drained) }()
			return fmt.Sprintf("http://127.0.0.1:%d/dicom-web", port)
		}
	}
	close(drained)
	t.Fatalf("Orthanc did not start: %s", last)
	return ""
}

// bundled returns n instances of one series: the bundled slices, and copies of them under other UIDs
// of the same length. Their bytes are returned by UID.
func bundled(t testing.TB, n int) (all []dicomweb.Instance, bodies map[string][]byte) {
	t.Helper()
	root := os.DirFS("../../assets/series")
	files, err := filepath.Glob("../../assets/series/*.dcm")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	bodies = map[string][]byte{}
	for i := range n {
		name := filepath.Base(files[i%len(files)])
		attributes, _, err := part10.ReadHeader(root, name, func(tag part10.Tag) bool {
			return tag == part10.TagSOPInstanceUID || tag == part10.TagStudyInstanceUID || tag == part10.TagSeriesInstanceUID
		})
		if err != nil {
			t.Fatal(err)
		}
		body, err := os.ReadFile(files[i%len(files)])
		if err != nil {
			t.Fatal(err)
		}
		uid := attributes.DisplayText(part10.TagSOPInstanceUID)
		if i >= len(files) {
			other := uid[:len(uid)-4] + fmt.Sprint(1000+i)
			body, uid = bytes.ReplaceAll(body, []byte(uid), []byte(other)), other
		}
		bodies[uid] = body
		all = append(all, dicomweb.Instance{
			Study: attributes.DisplayText(part10.TagStudyInstanceUID), Series: attributes.DisplayText(part10.TagSeriesInstanceUID), UID: uid, Size: int64(len(body)),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil },
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
	base := orthanc(t)
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
		c, err := dicomweb.New(dicomweb.Config{Base: orthanc(b), Authorization: basic})
		if err != nil {
			b.Fatal(err)
		}
		all, bodies := bundled(b, 300)
		b.StartTimer()
		roundTrip(b, c, all, bodies)
		c.Close()
	}
}
