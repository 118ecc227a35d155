package arrays

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/denoise/noise"
)

// repliesTo returns the lines that a server sends for the lines of a client, and how it ends.
func repliesTo(t *testing.T, lines string) (replies []reply, err error) {
	t.Helper()
	var out bytes.Buffer
	s := &server{out: &out, forms: plain, cancelled: map[int64]context.CancelFunc{}}
	defer s.memory.closeAll()
	requests := make(chan waiting, MaxWaiting)
	err = s.read(t.Context(), strings.NewReader(lines), requests)
	close(requests)
	for w := range requests {
		if err := s.answer(w); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(out.String()) {
		var r reply
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		replies = append(replies, r)
	}
	return replies, err
}

var plain = Forms{
	Error:    func(err error) any { return err.Error() },
	Estimate: func(e noise.Estimate) any { return e },
}

// TestLimits takes each limit and one more.
func TestLimits(t *testing.T) {
	line := func(n int) string { return "{" + strings.Repeat(" ", n-3) + "}\n" } // n bytes
	if replies, err := repliesTo(t, line(MaxLine)); err != nil || len(replies) != 1 {
		t.Errorf("a line of %d bytes: %v, %v", MaxLine, replies, err)
	}
	if _, err := repliesTo(t, line(MaxLine+1)); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("a line of %d bytes: %v", MaxLine+1, err)
	}

	var many strings.Builder
	for i := range MaxWaiting + 1 {
		fmt.Fprintf(&many, "{\"id\":%d}\n", i)
	}
	replies, err := repliesTo(t, many.String())
	if err != nil || len(replies) != MaxWaiting+1 || replies[0].ID != MaxWaiting || !strings.Contains(fmt.Sprint(replies[0].Error), "16 requests wait already") {
		t.Errorf("%v, %v", replies, err)
	}

	path := filepath.Join(t.TempDir(), "shared")
	if err := os.WriteFile(path, make([]byte, 8), 0o600); err != nil {
		t.Fatal(err)
	}
	var m memory
	defer m.closeAll()
	for range MaxMapped {
		if _, err := m.open(path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.open(path); err == nil || !strings.Contains(err.Error(), "which is the limit") {
		t.Errorf("one file more: %v", err)
	}
	if err := m.close(3); err != nil {
		t.Error(err)
	}
	if n, err := m.open(path); err != nil || n != MaxMapped+1 {
		t.Errorf("number %d, %v", n, err)
	}
}

// TestRequestsInDisorder: a line that is no request, and a number that is in use, get an error, and the others a reply.
func TestRequestsInDisorder(t *testing.T) {
	replies, err := repliesTo(t, "\n{\"id\":1,\"do\":\"unmap\"}\nnonsense\n{\"id\":1,\"do\":\"map\"}\n{\"id\":5,\"do\":\"cancel\"}\n{\"id\":2,\"do\":\"dance\"}\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range replies {
		got = append(got, fmt.Sprintf("%d: %v", r.ID, r.Error))
	}
	for i, want := range []string{"1: no file is mapped", "0: this is no request", "1: request 1 is not answered yet", `2: "dance" is no request`} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("replies %q; want %q", got, want)
			break
		}
	}
}

// TestAffine: the affine is of RAS+ and gives the spacing.
func TestAffine(t *testing.T) {
	im := Image{Array: Array{Dims: [3]int{4, 4, 4}}, Affine: [][]float64{{0, -2, 0, 10}, {3, 0, 0, -20}, {0, 0, 4, 30}, {0, 0, 0, 1}}}
	g, err := im.geometry()
	if err != nil {
		t.Fatal(err)
	}
	if g.Spacing != [3]float64{3, 2, 4} || g.Affine[0] != [4]float64{0, 2, 0, -10} || g.Affine[1] != [4]float64{-3, 0, 0, 20} || g.Affine[2] != [4]float64{0, 0, 4, 30} {
		t.Errorf("%+v", g)
	}
	im.Spacing = []float64{1, 1, 1}
	if _, err := im.geometry(); err == nil || !strings.Contains(err.Error(), "not both") {
		t.Error(err)
	}
}

// TestVolumes: a 4-D array has 1 to 65536 volumes, which its file holds, and an output of as many; only denoise takes it.
func TestVolumes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory")
	if err := os.WriteFile(path, make([]byte, 2*4*60*2), 0o600); err != nil {
		t.Fatal(err)
	}
	const in, out = `"input":{"memory":1,"dims":[5,4,3],"volumes":%d}`, `"output":{"memory":1,"offset":480,"dims":[5,4,3],"volumes":%d}`
	for _, c := range []struct{ line, want string }{
		{fmt.Sprintf(`{"id":2,"do":"denoise","filter":"median",`+in+`,`+out+`}`, 2, 2), ""},
		{fmt.Sprintf(`{"id":2,"do":"denoise","filter":"median",`+in+`,`+out+`}`, 2, 1), "the output is of"},
		{fmt.Sprintf(`{"id":2,"do":"denoise","filter":"median",`+in+`,`+out+`}`, 3, 3), "and its file has"},
		{fmt.Sprintf(`{"id":2,"do":"denoise","filter":"median",`+in+`,`+out+`}`, -1, 1), "-1 volumes"},
		{fmt.Sprintf(`{"id":2,"do":"denoise","filter":"median",`+in+`,`+out+`}`, 1<<16, 1<<16), "and its file has"},
		{fmt.Sprintf(`{"id":2,"do":"denoise","filter":"median",`+in+`,`+out+`}`, 1<<16+1, 1<<16+1), "65537 volumes"},
		{fmt.Sprintf(`{"id":2,"do":"denoise","filter":"lowrank",`+in+`,`+out+`}`, 2, 2), "8"},
		{fmt.Sprintf(`{"id":2,"do":"estimate",`+in+`}`, 2), "one at a time"},
	} {
		replies, err := repliesTo(t, fmt.Sprintf(`{"id":1,"do":"map","file":%q}`+"\n"+c.line, path))
		if err != nil || len(replies) == 0 {
			t.Fatal(replies, err)
		}
		if got := replies[len(replies)-1].Error; (got == nil) != (c.want == "") || got != nil && !strings.Contains(fmt.Sprint(got), c.want) {
			t.Errorf("%s: %v; want %q", c.line, got, c.want)
		}
	}
}

// TestRoom: arrays of more than the free memory are refused, of as much are not; before a client maps arrays, and before a
// filter takes what its passes need.
func TestRoom(t *testing.T) {
	defer func(old func() int64) { available = old }(available)
	free := int64(0)
	available = func() int64 { return free }
	data := make([]byte, 2*4*60)
	for i := range data[:240] {
		data[i] = byte(i) & 0x3f // finite
	}
	path := filepath.Join(t.TempDir(), "memory")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(n int64, lines string) string {
		free = n
		replies, err := repliesTo(t, fmt.Sprintf(`{"id":1,"do":"map","file":%q}`+"\n"+lines, path))
		if err != nil || len(replies) == 0 {
			t.Fatal(replies, err)
		}
		last := replies[len(replies)-1]
		if last.Error == nil {
			return ""
		}
		return fmt.Sprint(last.Error)
	}
	const denoise = `{"id":2,"do":"denoise","filter":"gaussian","input":{"memory":1,"dims":[5,4,3]},"output":{"memory":1,"offset":240,"dims":[5,4,3]}}`
	for _, c := range []struct {
		free    int64
		line    string
		refused bool
	}{
		{0, `{"id":2,"do":"room","bytes":1000}`, false}, {999, `{"id":2,"do":"room","bytes":1000}`, true}, {1000, `{"id":2,"do":"room","bytes":1000}`, false},
		{239, denoise, true}, {240, denoise, false}, {0, denoise, false},
	} {
		if said := ask(c.free, c.line); strings.Contains(said, "of memory and") != c.refused || !c.refused && said != "" {
			t.Errorf("%d bytes free: %s: %q", c.free, c.line, said)
		}
	}
}
