package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/job"
	"quell/cmd/command"
	"quell/io/nifti/niftitest"
	"quell/volume"
)

// served is a client of quell serve-arrays in this process.
type served struct {
	t       *testing.T
	to      io.WriteCloser
	replies *bufio.Scanner
	last    int
	code    chan int
	errs    bytes.Buffer
}

// serve starts a server, which ends with the test.
func serveArrays(t *testing.T) *served {
	in, to := io.Pipe()
	from, out := io.Pipe()
	s := &served{t: t, to: to, replies: bufio.NewScanner(from), code: make(chan int, 1)}
	s.replies.Buffer(nil, 1<<22)
	go func() {
		s.code <- command.Streams{In: in, Out: out, Errs: &s.errs}.Execute(t.Context(), table(), []string{"serve-arrays"})
		out.Close()
	}()
	t.Cleanup(func() { to.Close() })
	var hello map[string]any
	s.read(&hello)
	if hello["protocol"] != "quell.arrays" || hello["version"] != 1.0 || hello["quell"] != job.Version() {
		t.Fatalf("hello %v", hello)
	}
	return s
}

func (s *served) read(into any) {
	s.t.Helper()
	if !s.replies.Scan() {
		s.t.Fatalf("the server ended: %s", s.errs.String())
	}
	if err := json.Unmarshal(s.replies.Bytes(), into); err != nil {
		s.t.Fatalf("%v in %q", err, s.replies.Text())
	}
}

// ask sends a request and returns its reply, and the events before.
func (s *served) ask(request map[string]any) (reply struct {
	Result map[string]any
	Error  printedFailure
	Events []string
}) {
	s.t.Helper()
	s.last++
	request["id"] = s.last
	s.send(request)
	for {
		var line struct {
			ID     int
			Result map[string]any
			Error  printedFailure
			Event  string
		}
		s.read(&line)
		if line.ID != s.last {
			s.t.Errorf("reply %q to request %d", s.replies.Text(), s.last)
		}
		if line.Event == "" {
			reply.Result, reply.Error = line.Result, line.Error
			return reply
		}
		reply.Events = append(reply.Events, line.Event)
	}
}

func (s *served) send(request any) {
	s.t.Helper()
	data, err := json.Marshal(request)
	if err == nil {
		_, err = s.to.Write(append(data, '\n'))
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// shared writes float32 voxels, and room for as many, to a file and lets the server map it.
func (s *served) shared(data []float32) (path string, number any) {
	s.t.Helper()
	path = filepath.Join(s.t.TempDir(), "shared")
	b, _ := volume.LittleEndian(data)
	if err := os.WriteFile(path, append(bytes.Clone(b), make([]byte, len(b))...), 0o600); err != nil {
		s.t.Fatal(err)
	}
	reply := s.ask(map[string]any{"do": "map", "file": path})
	if reply.Result["bytes"] != float64(2*len(b)) {
		s.t.Fatalf("%+v", reply)
	}
	return path, reply.Result["memory"]
}

// noisyHead is a ball in air with noise, of the values of an MR or in HU.
func noisyHead(ct bool) *volume.Volume {
	v := volume.New(volume.NewGeometry([3]int{40, 36, 10}, [3]float64{1, 1, 1.5}))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range v.Data {
		x, y := i%40-20, i/40%36-18
		inside := x*x+y*y < 15*15
		switch {
		case ct && inside:
			v.Data[i] = float32(40 + 12*r.NormFloat64())
		case ct:
			v.Data[i] = -1000
		case inside:
			v.Data[i] = float32(400 + 3*x + int(10*r.NormFloat64()))
		default:
			v.Data[i] = float32(math.Hypot(10*r.NormFloat64(), 10*r.NormFloat64()))
		}
	}
	return v
}

// voxelsOf returns the float32 voxels of a NIfTI file of ours, after its header of 352 bytes.
func voxelsOf(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data[352:]
}

// TestArraysAreFilteredAsFiles: the voxels of quell serve-arrays are those of quell denoise, bit for bit.
func TestArraysAreFilteredAsFiles(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	mr, ct, holes := noisyHead(false), noisyHead(true), noisyHead(false)
	for name, v := range map[string]*volume.Volume{"mr.nii": mr, "ct.nii": ct, "holes.nii": holes, "mask.nii": halved(mr)} {
		if err := niftitest.Write(t.Context(), at(name), v, ""); err != nil {
			t.Fatal(err)
		}
	}
	holes.Data[3000], holes.Data[3001] = float32(math.NaN()), float32(math.Inf(1))
	file, err := os.ReadFile(at("holes.nii"))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{3000, 3001} {
		binary.LittleEndian.PutUint32(file[352+4*i:], math.Float32bits(holes.Data[i]))
	}
	if err := os.WriteFile(at("holes.nii"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	s := serveArrays(t)
	voxels := map[string]*volume.Volume{"mr.nii": mr, "ct.nii": ct, "holes.nii": holes}
	for _, c := range []struct {
		in, flags string
		request   map[string]any
	}{
		{"mr.nii", "--filter nlm --dims 3", map[string]any{"filter": "nlm", "dims": 3}},
		{"mr.nii", "--filter nlm --dims auto --h 12 --patch-radius 2", map[string]any{"filter": "nlm", "dims": "auto", "parameters": map[string]any{"h": 12, "patch-radius": 2}}},
		{"mr.nii", "--filter bilateral --sigma-range 1.5sigma", map[string]any{"filter": "bilateral", "parameters": map[string]any{"sigma-range": "1.5sigma"}}},
		{"mr.nii", "--filter odct --mask mask.nii", map[string]any{"filter": "odct", "mask": true}},
		{"mr.nii", "--filter nlm --noise-map auto", map[string]any{"filter": "nlm", "noise_map": "auto"}},
		{"mr.nii", "--filter nlm --noise-map none", map[string]any{"filter": "nlm", "noise_map": "none"}},
		{"mr.nii", "--preset mr-brain-3d-fast", map[string]any{"preset": "mr-brain-3d-fast"}},
		{"ct.nii", "--filter prinlm", map[string]any{"filter": "prinlm"}},
		{"ct.nii", "--filter prinlm --modality MR", map[string]any{"filter": "prinlm", "modality": "MR"}},
		{"holes.nii", "--filter median --dims 3", map[string]any{"filter": "median", "dims": 3}},
		{"holes.nii", "--filter gaussian --sigma-spatial 2", map[string]any{"filter": "gaussian", "parameters": map[string]any{"sigma-spatial": 2}}},
	} {
		v := voxels[c.in]
		args := append([]string{"denoise", at(c.in), at("out.nii")}, strings.Fields(strings.ReplaceAll(c.flags, "mask.nii", at("mask.nii")))...)
		if code, _, stderr := quell(t, args...); code != 0 {
			t.Fatalf("%s: %s", c.flags, stderr)
		}
		path, number := s.shared(v.Data)
		request := c.request
		modality, _ := request["modality"].(string)
		delete(request, "modality")
		image := map[string]any{"memory": number, "dims": v.Dims, "spacing": v.Spacing}
		if modality != "" {
			image["modality"] = modality
		}
		request["do"], request["input"] = "denoise", image
		request["output"] = map[string]any{"memory": number, "offset": 4 * len(v.Data), "dims": v.Dims}
		if request["mask"] != nil {
			half := make([]byte, len(v.Data))
			for i := range half[:len(half)/2] {
				half[i] = 1
			}
			maskPath := filepath.Join(t.TempDir(), "mask")
			if err := os.WriteFile(maskPath, half, 0o600); err != nil {
				t.Fatal(err)
			}
			request["mask"] = map[string]any{"memory": s.ask(map[string]any{"do": "map", "file": maskPath}).Result["memory"], "dims": v.Dims}
		}
		reply := s.ask(request)
		if reply.Error.Text != "" {
			t.Errorf("%s: %+v", c.flags, reply.Error)
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if before, _ := volume.LittleEndian(v.Data); !bytes.Equal(got[:len(got)/2], before) {
			t.Errorf("%s: the input is changed", c.flags)
		}
		if !bytes.Equal(got[len(got)/2:], voxelsOf(t, at("out.nii"))) {
			t.Errorf("%s: an array is filtered to other bits than a file", c.flags)
		}
		if s.ask(map[string]any{"do": "unmap", "memory": number}).Error.Text != "" {
			t.Error("a file cannot be unmapped")
		}
	}
	s.to.Close()
	if code := <-s.code; code != job.ExitDone || s.errs.Len() > 0 {
		t.Errorf("the server ends with code %d, %s", code, s.errs.String())
	}
}

// halved is 1 in the lower half of the slices of a volume, 0 in the upper.
func halved(of *volume.Volume) *volume.Volume {
	v := volume.New(of.Geometry)
	for i := range v.Data[:len(v.Data)/2] {
		v.Data[i] = 1
	}
	return v
}

// TestArraysAreJudgedAsFiles: estimates and verdicts are those of the command line.
func TestArraysAreJudgedAsFiles(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.nii"), filepath.Join(dir, "out.nii")
	v := noisyHead(false)
	if err := niftitest.Write(t.Context(), in, v, ""); err != nil {
		t.Fatal(err)
	}
	s := serveArrays(t)
	_, number := s.shared(v.Data)
	input := map[string]any{"memory": number, "dims": v.Dims, "spacing": v.Spacing}
	output := map[string]any{"memory": number, "offset": 4 * len(v.Data), "dims": v.Dims}
	same := func(what string, got map[string]any, args ...string) {
		t.Helper()
		printed := parsed[map[string]any](t, append(args, "--json")...)
		delete(printed, "proposal") // runs filters, which the protocol asks for by a request of its own
		want, _ := json.Marshal(printed)
		if data, _ := json.Marshal(got); !bytes.Equal(data, want) {
			t.Errorf("%s is\n%s, want\n%s", what, data, want)
		}
	}
	same("the estimate", s.ask(map[string]any{"do": "estimate", "input": input}).Result, "estimate", in)
	if code, _, stderr := quell(t, "denoise", in, out, "--filter", "nlm", "--dims", "3"); code != 0 {
		t.Fatal(stderr)
	}
	done := s.ask(map[string]any{"do": "denoise", "input": input, "output": output, "filter": "nlm", "dims": 3})
	verdict := s.ask(map[string]any{"do": "assess", "input": input, "result": output, "recipe": done.Result["recipe"]})
	same("the verdict", verdict.Result, "assess", in, out)
	if word, removed := verdict.Result["judgement"], verdict.Result["noise_removed"]; word != "fades" || removed == nil || done.Result["estimate"] == nil {
		t.Errorf("%v, %v", verdict, done.Result)
	}
	if e := s.ask(map[string]any{"do": "estimate", "input": input, "output": output}); e.Error.Text != "" || e.Result["sigma"] == nil {
		t.Errorf("map: %+v", e)
	}
}

// TestArraysRefused: a request that is wrong is an error as the command line has it, and the server goes on.
func TestArraysRefused(t *testing.T) {
	s := serveArrays(t)
	data := make([]float32, 60)
	for i := range data {
		data[i] = float32(i)
	}
	_, n := s.shared(data)
	nan := make([]float32, 60)
	for i := range nan {
		nan[i] = float32(math.NaN())
	}
	_, void := s.shared(nan)
	array := func(memory any, offset int, dims ...int) map[string]any {
		return map[string]any{"memory": memory, "offset": offset, "dims": dims}
	}
	with := func(a map[string]any, name string, value any) map[string]any { a[name] = value; return a }
	in, out := array(n, 0, 5, 4, 3), array(n, 240, 5, 4, 3)
	for _, c := range []struct {
		request map[string]any
		kind    string
		want    string
	}{
		{map[string]any{"do": "dance"}, "usage", `"dance" is no request; there are map, unmap`},
		{map[string]any{"do": "map"}, "usage", "which file"},
		{map[string]any{"do": "map", "file": "gone"}, "usage", "shared memory: open gone"},
		{map[string]any{"do": "unmap", "memory": 99}, "usage", "no file is mapped as number 99"},
		{map[string]any{"do": "denoise", "input": in, "filter": "median"}, "usage", "no output"},
		{map[string]any{"do": "denoise", "input": in, "output": out}, "usage", "which filter?"},
		{map[string]any{"do": "denoise", "input": in, "output": in, "filter": "median"}, "usage", "the output lies on the input"},
		{map[string]any{"do": "denoise", "input": in, "output": array(n, 236, 5, 4, 3), "filter": "median"}, "usage", "the output lies on the input"},
		{map[string]any{"do": "denoise", "input": in, "output": array(n, 244, 5, 4, 3), "filter": "median"}, "usage", "the output takes 240 bytes from byte 244 on, and its file has 480"},
		{map[string]any{"do": "denoise", "input": in, "output": array(n, 242, 5, 4, 3), "filter": "median"}, "usage", "no multiple of 4"},
		{map[string]any{"do": "denoise", "input": in, "output": array(n, -4, 5, 4, 3), "filter": "median"}, "usage", "no multiple of 4"},
		{map[string]any{"do": "denoise", "input": in, "output": array(99, 0, 5, 4, 3), "filter": "median"}, "usage", "not mapped, number 99"},
		{map[string]any{"do": "denoise", "input": in, "output": array(n, 240, 5, 4, 2), "filter": "median"}, "usage", "the output is of [5 4 2] voxels, and the array of [5 4 3]"},
		{map[string]any{"do": "denoise", "input": array(n, 0, 1<<20, 1<<20, 1<<20), "output": array(n, 0, 1<<20, 1<<20, 1<<20), "filter": "median"}, "usage", "more than can be held"},
		{map[string]any{"do": "denoise", "input": array(n, 0, 0, 4, 3), "output": array(n, 240, 0, 4, 3), "filter": "median"}, "usage", "at least 1 is needed"},
		{map[string]any{"do": "denoise", "input": array(void, 0, 5, 4, 3), "output": out, "filter": "median"}, "input", "the series: has no finite number; check the array"},
		{map[string]any{"do": "denoise", "input": with(array(n, 0, 5, 4, 3), "spacing", []float64{1, 1}), "output": out, "filter": "median"}, "usage", "the spacing has 2 numbers"},
		{map[string]any{"do": "denoise", "input": with(array(n, 0, 5, 4, 3), "spacing", []float64{1, 0, 1}), "output": out, "filter": "median"}, "usage", "it must be positive"},
		{map[string]any{"do": "denoise", "input": with(array(n, 0, 5, 4, 3), "affine", [][]float64{{1, 0, 0, 0}}), "output": out, "filter": "median"}, "usage", "4 x 4 or 3 x 4 numbers"},
		{map[string]any{"do": "denoise", "input": with(array(n, 0, 5, 4, 3), "affine", [][]float64{{1, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 1, 0}}), "output": out, "filter": "median"}, "usage", "have to span space"},
		{map[string]any{"do": "denoise", "input": with(array(n, 0, 5, 4, 3), "modality", "PT"), "output": out, "filter": "median"}, "usage", `the modality "PT" is none of CT or MR`},
		{map[string]any{"do": "denoise", "input": in, "output": out, "filter": "nml"}, "usage", `"nml"`},
		{map[string]any{"do": "denoise", "input": in, "output": out, "filter": "median", "dims": 4}, "usage", "dims is 4; give 2, 3 or auto"},
		{map[string]any{"do": "denoise", "input": in, "output": out, "filter": "median", "engine": "tpu"}, "usage", `no engine is called "tpu"`},
		{map[string]any{"do": "denoise", "input": in, "output": out, "filter": "median", "parameters": map[string]any{"h": 1}}, "usage", "median has no parameter h; it has radius, stabilise"},
		{map[string]any{"do": "denoise", "input": in, "output": out, "filter": "median", "parameters": map[string]any{"radius": "x"}}, "usage", "radius: x is not a list of whole numbers"},
		{map[string]any{"do": "denoise", "input": in, "output": out, "filter": "median", "parameters": map[string]any{"radius": []float64{1.5}}}, "usage", "radius: 1.5 is not a list of whole numbers"},
		{map[string]any{"do": "denoise", "input": in, "output": out, "preset": "x"}, "usage", "x"},
		{map[string]any{"do": "denoise", "input": in, "output": out, "filter": "median", "mask": array(n, 0, 5, 4, 2)}, "usage", "the mask is of [5 4 2] voxels"},
		{map[string]any{"do": "denoise", "input": in, "output": out, "filter": "median", "mask": array(void, 240, 5, 4, 3)}, "input", "leaves no voxel"},
		{map[string]any{"do": "denoise", "input": in, "output": out, "filter": "median", "noise_map": "some"}, "usage", "neither an array nor auto nor none"},
		{map[string]any{"do": "denoise", "input": in, "output": out, "filter": "median", "surprise": 1}, "usage", "surprise"},
		{map[string]any{"do": "assess", "input": in}, "usage", "no result to be judged"},
		{map[string]any{"do": "assess", "input": in, "result": out, "recipe": map[string]any{"version": 1, "filter": "nlm", "dims": 2, "parameters": map[string]any{"h": "auto"}}}, "usage", "automatic values"},
	} {
		reply := s.ask(c.request)
		if reply.Error.Kind != c.kind || !strings.Contains(reply.Error.Text, c.want) || reply.Result != nil {
			t.Errorf("%v: %+v, want %s %q", c.request, reply, c.kind, c.want)
		}
	}
	if reply := s.ask(map[string]any{"do": "denoise", "input": in, "output": out, "filter": "median"}); reply.Error.Text != "" {
		t.Errorf("after errors: %+v", reply)
	}
}

// TestArraysCancelled: a request ends when it is cancelled, and the server when its input does.
func TestArraysCancelled(t *testing.T) {
	s := serveArrays(t)
	g := volume.NewGeometry([3]int{256, 256, 64}, [3]float64{1, 1, 1})
	data := make([]float32, g.Voxels())
	for i := range data {
		data[i] = float32(i * 7919 % 1009)
	}
	_, n := s.shared(data)
	long := func(id int) map[string]any {
		return map[string]any{
			"id": id, "do": "denoise", "filter": "nlm", "dims": 3, "parameters": map[string]any{"h": 50, "search-radius": 10, "patch-radius": 3},
			"input": map[string]any{"memory": n, "dims": g.Dims}, "output": map[string]any{"memory": n, "offset": 4 * len(data), "dims": g.Dims},
		}
	}
	var reply struct {
		ID    int
		Event string
		Error printedFailure
	}
	for s.send(long(7)); reply.Event != "progress"; { // it is under way
		s.read(&reply)
	}
	s.send(map[string]any{"id": 7, "do": "cancel"})
	for reply.Event = "progress"; reply.Event != ""; {
		reply.Event = ""
		s.read(&reply)
	}
	if reply.ID != 7 || reply.Error.Kind != "cancelled" || reply.Error.Text != "cancelled" {
		t.Errorf("%+v", reply)
	}
	for s.send(long(8)); reply.Event != "progress"; {
		s.read(&reply)
	}
	s.to.Close()
	go func() {
		for s.replies.Scan() { // what comes until the end
		}
	}()
	if code := <-s.code; code != job.ExitDone {
		t.Errorf("code %d, %s", code, s.errs.String())
	}
}
