package serve

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

// hoursEnv holds how many hours of arrivals TestDay simulates.
const hoursEnv = "QUELL_TEST_HOURS"

// TestDay simulates the arrivals of hours by a clock of its own: a series every 3 to 20 minutes, some in parts, some
// with their count and some twice; an archive that is full at times; and crashes at random points, after which the
// sender sends again what was not confirmed. Each series is sent on with all of its images, under the same UIDs, and
// nothing is left but the journal.
func TestDay(t *testing.T) {
	hours := 1
	if n, err := strconv.Atoi(os.Getenv(hoursEnv)); err == nil {
		hours = n
	}
	random := rand.New(rand.NewPCG(1, 2))
	a, c := newArchive(t), begin()
	s := settings(t, a)
	n := node(t, s, c)
	h := &crashing{n}
	to := receive(t, h)
	crashes := 0
	arm := func() {
		left := 5 + random.IntN(60)
		h.n.point = func() {
			if left--; left == 0 {
				panic(crash{})
			}
		}
	}
	begun := c.now()
	restart := func() {
		crashes++
		if err := h.n.Close(); err != nil { // the system does it for a process that ends
			t.Fatal(err)
		}
		h.n = node(t, s, c)
		arm()
	}
	steps := func() {
		for done := false; !done; {
			func() {
				defer func() {
					if r := recover(); r != nil {
						if _, ours := r.(crash); !ours {
							panic(r)
						}
						restart()
					}
				}()
				step(t, h.n)
				done = true
			}()
		}
	}
	arrive := func(files []*dicomtest.Fake) {
		for len(files) > 0 {
			got := send(t, to, files...)
			confirmed := 0
			for confirmed < len(got) && got[confirmed] == 0 {
				confirmed++
			}
			if files = files[confirmed:]; len(files) > 0 {
				restart()
			}
		}
	}
	arm()
	type later struct {
		at    time.Time
		files []*dicomtest.Fake
	}
	var waiting []later
	series, instances := 0, 0
	for next := begun; c.now().Before(begun.Add(time.Duration(hours) * time.Hour)); c.add(10 * time.Second) {
		now := c.now()
		if !now.Before(next) {
			next = now.Add(time.Duration(3+random.IntN(18)) * time.Minute)
			series++
			all := stack(fmt.Sprint(1000+series), 2+random.IntN(4), "X")
			for k, f := range all {
				f.With(part10.TagSOPInstanceUID, fmt.Sprintf("1.2.3.%d.%d", 1000+series, k))
			}
			instances += len(all)
			if series%3 == 0 {
				for _, f := range all {
					f.With(tagInstances, fmt.Sprint(len(all)))
				}
			}
			cut := 1 + random.IntN(len(all))
			waiting = append(waiting, later{now, all[:cut]}, later{now.Add(time.Duration(random.IntN(25)) * time.Second), all[cut:]})
			if series%5 == 0 { // another rule of the scanner
				waiting = append(waiting, later{now.Add(time.Duration(random.IntN(50)) * time.Minute), all})
			}
		}
		rest := waiting[:0:0]
		for _, w := range waiting {
			if w.at.After(now) {
				rest = append(rest, w)
			} else {
				arrive(w.files)
			}
		}
		if waiting = rest; random.IntN(300) == 0 {
			a.mu.Lock()
			a.fails = random.IntN(20)
			a.mu.Unlock()
		}
		steps()
	}
	for _, w := range waiting {
		arrive(w.files)
	}
	for range 4 * 24 { // the archive has room in the end, and all is removed after its time
		c.add(15 * time.Minute)
		steps()
	}
	got := map[string]int{}
	for _, b := range a.files {
		p, err := part10.TokenizeBytes(b, func(t part10.Tag) bool { return t == part10.TagSeriesInstanceUID })
		if err != nil {
			t.Fatal(err)
		}
		values, err := part10.ReadValues(p)
		if err != nil {
			t.Fatal(err)
		}
		got[values.Text(part10.TagSeriesInstanceUID)]++
	}
	again := 0
	for _, times := range a.times {
		again += times - 1
	}
	status := h.n.Status()
	if len(got) != series || len(a.files) != instances || status.Tasks[Sent] != series || len(h.n.list) != series || h.n.folder.Used() != 0 {
		t.Errorf("%d series of %d and %d instances of %d arrived; %v, %d bytes", len(got), series, len(a.files), instances, status.Tasks, h.n.folder.Used())
	}
	if crashes == 0 {
		t.Error("no crash")
	}
	t.Logf("%d hours: %d series with %d instances, %d crashes; %d instances were sent again", hours, series, instances, crashes, again)
	if err := h.n.Close(); err != nil {
		t.Fatal(err)
	}
}
