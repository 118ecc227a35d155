package dimsetest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"quell/io/dicom/part10"
	"quell/io/dimse"
)

const orthancPlugin = "/usr/share/orthanc/plugins/libOrthancDicomWeb.so"

// Archive is an Orthanc on loopback. The user of its services over HTTP is "user" with the password "pass".
type Archive struct {
	dimse.Node
	Web string // base address of DICOMweb
}

// FreePort returns a port of loopback on which nothing listens.
func FreePort(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// Orthanc starts an empty Orthanc until the test ends, or skips the test if there is none. It knows the
// calling AE title QUELL, to which it sends images, at a port of loopback.
func Orthanc(t testing.TB, back int) Archive {
	t.Helper()
	program, err := exec.LookPath("Orthanc")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/Orthanc")
	}
	if _, missing := os.Stat(orthancPlugin); err != nil || missing != nil {
		t.Skip("Orthanc with its plugin for DICOMweb is missing; Debian has them as orthanc and orthanc-dicomweb")
	}
	web, port, dir := FreePort(t), FreePort(t), t.TempDir()
	settings, err := json.Marshal(map[string]any{
		"Name": "quell", "StorageDirectory": dir, "IndexDirectory": dir, "HttpPort": web,
		"RemoteAccessAllowed": false, "AuthenticationEnabled": true, "RegisteredUsers": map[string]string{"user": "pass"},
		"DicomAet": "ORTHANC", "DicomPort": port, "DicomCheckCalledAet": true, "DicomModalities": map[string]any{"quell": []any{"QUELL", "127.0.0.1", back}},
		"DicomAlwaysAllowGet": true, "Plugins": []string{orthancPlugin},
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
			return Archive{dimse.Node{AETitle: "ORTHANC", Host: "127.0.0.1", Port: port}, fmt.Sprintf("http://127.0.0.1:%d/dicom-web", web)}
		}
	}
	close(drained)
	t.Fatalf("Orthanc did not start: %s", last)
	return Archive{}
}

// Slice is an instance of a series for tests.
type Slice struct {
	dimse.Context
	Study, Series, UID string
	File               []byte
	Start              int // of the data set
}

// Slices returns n instances of one series: the slices of the repository in folder assets, and copies of
// them under other UIDs of the same length.
func Slices(t testing.TB, assets string, n int) (all []Slice) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(assets, "series", "*.dcm"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for i := range n {
		dir, name := filepath.Split(files[i%len(files)])
		attributes, _, err := part10.ReadHeader(os.DirFS(dir), name, func(tag part10.Tag) bool {
			return tag == part10.TagSOPClassUID || tag == part10.TagSOPInstanceUID || tag == part10.TagStudyInstanceUID || tag == part10.TagSeriesInstanceUID
		})
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		uid := attributes.DisplayText(part10.TagSOPInstanceUID)
		if i >= len(files) {
			other := uid[:len(uid)-4] + fmt.Sprint(1000+i)
			file, uid = bytes.ReplaceAll(file, []byte(uid), []byte(other)), other
		}
		p, err := part10.TokenizeBytes(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Slice{
			Context: dimse.Context{SOPClass: attributes.DisplayText(part10.TagSOPClassUID), Syntax: p.Syntax.UID},
			Study:   attributes.DisplayText(part10.TagStudyInstanceUID), Series: attributes.DisplayText(part10.TagSeriesInstanceUID), UID: uid,
			File: file, Start: int(p.Elements[0].Start),
		})
	}
	return all
}

// Instance returns what C-STORE sends.
func (s Slice) Instance() dimse.Instance {
	return dimse.Instance{Context: s.Context, UID: s.UID, Data: bytes.NewReader(s.File[s.Start:]), Size: int64(len(s.File) - s.Start)}
}
