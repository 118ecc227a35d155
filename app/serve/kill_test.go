//go:build unix

package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/io/dimse"
)

// nodeEnv holds the settings of a node that a child process runs, killsEnv how often TestKill kills one.
const (
	nodeEnv  = "QUELL_TEST_SERVE"
	killsEnv = "QUELL_TEST_KILLS"
)

func TestMain(m *testing.M) {
	text := os.Getenv(nodeEnv)
	if text == "" {
		os.Exit(m.Run())
	}
	s, err := ParseSettings([]byte(text))
	if err != nil {
		panic(err)
	}
	n, err := Open(s)
	if err == nil {
		err = n.Run(context.Background(), func(receiver, _ net.Addr) { fmt.Println(receiver) })
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// child starts a node in a process of its own and returns its address.
func child(t *testing.T, settings string) (*exec.Cmd, dimse.Node) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), nodeEnv+"="+settings)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 100)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal("the node did not start")
	}
	_, port, err := net.SplitHostPort(strings.TrimSpace(string(line[:n])))
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	return cmd, dimse.Node{AETitle: "QUELL", Host: "127.0.0.1", Port: number}
}

// TestKill kills a node again and again while series arrive, and starts it anew. Every series arrives at the archive
// once, however often parts of it were sent. The moments are random; the end does not depend on them.
func TestKill(t *testing.T) {
	kills := 3
	if n, err := strconv.Atoi(os.Getenv(killsEnv)); err == nil {
		kills = n
	}
	a := newArchive(t)
	s := settings(t, a)
	text, err := json.Marshal(map[string]any{
		"folder": s.Folder, "ae_title": "QUELL", "listen": "127.0.0.1:0", "idle_timeout": "1h", "rules": json.RawMessage(fmt.Sprintf(
			`[{"name": "head", "do": {"filter": "gaussian", "verdict": false, "noise_map": "none", "engine": "cpu"}, "to": {"to": %q}}]`, a.Node)),
	})
	if err != nil {
		t.Fatal(err)
	}
	const slices = 3
	var left []*dicomtest.Fake
	for i := range kills {
		for k, f := range stack(fmt.Sprint(1000+i), slices, "X") {
			f.With(tagInstances, fmt.Sprint(slices)).With(part10.TagSOPInstanceUID, fmt.Sprintf("1.2.3.%d.%d", 1000+i, k))
			left = append(left, f)
		}
	}
	for range kills {
		cmd, to := child(t, string(text))
		var most int
		if len(left) > 0 {
			most = 1 + rand.IntN(min(len(left), 2*slices))
		}
		killed := make(chan struct{})
		go func() {
			defer close(killed)
			time.Sleep(time.Duration(rand.IntN(700)) * time.Millisecond)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}()
		for range most {
			if status := sendOne(to, left[0]); status != 0 {
				break
			}
			left = left[1:]
		}
		<-killed
	}
	cmd, to := child(t, string(text))
	for len(left) > 0 {
		if status := sendOne(to, left[0]); status != 0 {
			t.Fatal(status)
		}
		left = left[1:]
	}
	for sent(t, s.Folder) < kills { // a node that does not end its work fails by the time of the test
		time.Sleep(20 * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	again := 0
	series := map[string]int{}
	for uid, b := range a.files {
		p, err := part10.TokenizeBytes(b, func(t part10.Tag) bool { return t == part10.TagSeriesInstanceUID })
		if err != nil {
			t.Fatal(err)
		}
		values, err := part10.ReadValues(p)
		if err != nil {
			t.Fatal(err)
		}
		series[values.Text(part10.TagSeriesInstanceUID)]++
		again += a.times[uid] - 1
	}
	if len(a.files) != kills*slices || len(series) != kills {
		t.Errorf("%d instances of %d series arrived, want %d of %d", len(a.files), len(series), kills*slices, kills)
	}
	t.Logf("%d kills; %d series arrived once, %d instances were sent again", kills, len(series), again)
}

// sendOne sends an instance; the status is not 0 if it was not confirmed.
func sendOne(to dimse.Node, f *dicomtest.Fake) dimse.Status {
	c := dimse.Context{SOPClass: dicomtest.CtClass, Syntax: part10.UIDExplicitLE}
	a, err := dimse.Dial(context.Background(), to, dimse.Config{Calling: "CT1"}, []dimse.Context{c})
	if err != nil {
		return dimse.ProcessingFailed
	}
	defer a.Abort()
	b := f.Dataset()
	answer, err := a.Store(context.Background(), dimse.Instance{Context: c, UID: f.Values[part10.TagSOPInstanceUID].(string), Data: strings.NewReader(string(b)), Size: int64(len(b))})
	if err != nil {
		return dimse.ProcessingFailed
	}
	return answer.Status
}

// sent counts the tasks of a folder that are done.
func sent(t *testing.T, folder string) (n int) {
	t.Helper()
	tasks, _, err := readTasks(tasksOf(Settings{Folder: folder}))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		if task.State == Sent {
			n++
		}
	}
	return n
}
