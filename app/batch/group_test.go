package batch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app/executor"
	"quell/app/judge"
	"quell/app/open"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/io/nifti/niftitest"
	"quell/volume"
)

// fourD writes a NIfTI series of n volumes.
func (c cohort) fourD(name string, n int) string {
	c.t.Helper()
	path := filepath.Join(c.in, name)
	c.must(os.MkdirAll(c.in, 0o777))
	var volumes []*volume.Volume
	for i := range n {
		volumes = append(volumes, values(i))
	}
	c.must(niftitest.Write4D(c.t.Context(), path, 2, volumes...))
	return path
}

// TestGroup: a 4-D series is one series with one output, a row and a key.
func TestGroup(t *testing.T) {
	c := newCohort(t)
	c.fourD("bold.nii.gz", 3)
	c.nii("one.nii", 7)
	s := c.run(c.options())
	equal(t, "states", states(s), []string{"bold.nii.gz done", "one.nii done"})
	back, err := open.Scan(t.Context(), filepath.Join(c.out, "bold.nii.gz"))
	c.must(err)
	if len(back.Entries) != 3 {
		t.Errorf("%d volumes were written", len(back.Entries))
	}
	for _, row := range c.rows() {
		if want := map[string]string{"bold.nii.gz": "8 x 6 x 3 x 3", "one.nii": "8 x 6 x 3"}[row["input"]]; row["dims"] != want {
			t.Errorf("%s: dims %s", row["input"], row["dims"])
		}
		if row["input"] == "bold.nii.gz" && !strings.HasPrefix(row["why"], "3 of 3 volumes; time 0 s: ") {
			t.Errorf("why %q", row["why"])
		}
	}
	if r, ok := (store{c.out}).results().Load(resultsOf(s)[0].ID); !ok || r.Picture == nil || r.Seconds.Filter == 0 || r.Engine != "cpu" {
		t.Errorf("%+v", r)
	}
	if again := c.run(c.options()); again.Reused != 2 {
		t.Errorf("%+v", again.Progress)
	}
	o := c.options()
	o.Select = "Volumes>1"
	equal(t, "selection", states(c.run(o)), []string{"bold.nii.gz done before"})

	// A list may name one of the volumes.
	list := filepath.Join(c.in, "list.csv")
	c.must(os.WriteFile(list, []byte("path,series\nbold.nii.gz,2\n"), 0o666))
	o = c.options()
	o.Inputs, o.Output = []string{list}, c.out+"2"
	single, err := Run(t.Context(), o, Events{})
	c.must(err)
	if len(resultsOf(single)) != 1 || resultsOf(single)[0].Output != "bold_volume-2-of-3.nii.gz" || resultsOf(single)[0].Volumes != 0 {
		t.Errorf("%+v", resultsOf(single))
	}
}

// TestGroupPicture: the picture is of the first of the volumes that are judged worst, which the
// report names.
func TestGroupPicture(t *testing.T) {
	c := newCohort(t)
	path := filepath.Join(c.in, "x.nii")
	c.must(os.MkdirAll(c.in, 0o777))
	flat, stripes := volume.New(volume.NewGeometry([3]int{64, 64, 4}, [3]float64{1, 1, 2})), [2]*volume.Volume{}
	for k := range stripes {
		state := uint64(k) + 1
		stripes[k] = volume.New(flat.Geometry)
		for i := range flat.Data {
			state = state*6364136223846793005 + 1442695040888963407
			flat.Data[i], stripes[k].Data[i] = 100, float32(state>>40)/float32(1<<24)*20+float32(i%64/8%2*300)
		}
	}
	c.must(niftitest.Write4D(t.Context(), path, 2, flat, stripes[0], stripes[1]))
	c.run(c.options())
	single := c.options()
	list := filepath.Join(c.in, "list.csv")
	c.must(os.WriteFile(list, []byte("path,series\nx.nii,2\n"), 0o666))
	single.Inputs, single.Output = []string{list}, c.out+"2"
	c.must(func() error { _, err := Run(t.Context(), single, Events{}); return err }())
	results := func(out string) (all []SeriesResult) {
		c.must(store{out}.all(func(r SeriesResult) { all = append(all, r) }))
		return all
	}
	group, alone := results(c.out)[0], results(c.out + "2")[0]
	if group.Pictured != "time 2 s" || !strings.Contains(group.Why, "time 2 s: ") || !slices.Equal(group.Picture, alone.Picture) || alone.Pictured != "" {
		t.Errorf("pictured %q, why %q", group.Pictured, group.Why)
	}
	page, err := os.ReadFile(filepath.Join(c.out, "report.html"))
	c.must(err)
	if !strings.Contains(string(page), `loading="lazy">time 2 s</td>`) {
		t.Error("the report does not name the volume")
	}
}

func TestWorse(t *testing.T) {
	judged := func(v verdict.Word) *judge.Measures {
		m := &judge.Measures{}
		m.Judgement = v
		return m
	}
	over, matched := judged(verdict.Fades), judged(verdict.Good)
	for _, x := range []struct {
		m, than *judge.Measures
		want    bool
	}{{nil, nil, false}, {matched, nil, true}, {nil, matched, false}, {matched, matched, false}, {over, matched, true}, {matched, over, false}} {
		equal(t, "worse", worse(x.m, x.than), x.want)
	}
}

func TestGroupNeedsMemory(t *testing.T) {
	c := newCohort(t)
	catalog, err := open.Scan(t.Context(), c.fourD("x.nii", 4))
	c.must(err)
	g, job := catalog.Entries[0].Geometry, c.options().Job
	const one = 4 * 8 * 6 * 3
	least := executor.Plan(job, g, 4).Whole
	equal(t, "least", least, int64(2*one))
	for memory, want := range map[int64]int64{100 * one: 7 * one, 6 * one: 6 * one, 2 * one: 2 * one, one: one} { // input, result, the next volume, and to judge
		job.Memory = memory
		equal(t, "peak", executor.Plan(job, g, 4).Peak, want)
	}
	o := c.options()
	whole := ""
	for _, x := range []struct {
		memory int64
		slabs  bool
	}{{least, false}, {least - 1, true}} {
		o.Memory, o.Output = x.memory, filepath.Join(t.TempDir(), "out")
		s, err := Run(t.Context(), o, Events{})
		c.must(err)
		if r := resultsOf(s)[0]; r.State != Done || r.Volumes != 4 || strings.Contains(r.Why, "parts; slices") != (x.memory < 6*one) || r.Recipe == nil {
			t.Errorf("%d bytes: %+v", x.memory, r)
		}
		if !x.slabs {
			whole = o.Output
		}
		a, err := os.ReadFile(filepath.Join(whole, "x.nii"))
		c.must(err)
		if b, err := os.ReadFile(filepath.Join(o.Output, "x.nii")); err != nil || string(a) != string(b) {
			t.Errorf("%d bytes: another result, %v", x.memory, err)
		}
	}
	equal(t, "outputs", []string{outputOf(Unit{Name: "x.hdr"}, catalog.Entries[0], true, "0123456789"), outputOf(Unit{Name: "x.nii"}, open.Entry{}, true, "0123456789")}, []string{"x_" + slug(catalog.Entries[0].Part) + ".nii", "x.nii"})
}

// TestJudge: the worst verdict and the median of sigma.
func TestJudge(t *testing.T) {
	type judged = executor.VolumeOutcome
	volume := func(name string, v verdict.Word, sigma float64, c noise.Confidence) judged {
		m := &judge.Measures{}
		m.Judgement, m.Why, m.Sigma, m.SigmaConfidence = v, message.Verbatim("Because."), sigma, c
		return judged{Name: name, Measures: m}
	}
	for _, x := range []struct {
		all                       []judged
		judgement, why, sigmaText string
	}{
		{nil, "", "", ""},
		{[]judged{{Name: "a"}}, "", "", ""},
		{[]judged{{Name: "a", Noise: &noise.Figure{Sigma: 3, Confidence: noise.Fair}}, {Name: "b"}}, "", "", "3 fair"},
		{[]judged{volume("", verdict.Good, 3, noise.High)}, "good", "Because.", "3 high"},
		{[]judged{volume("", verdict.Unknown, 3, noise.None)}, "unknown", "Because.", ""},
		{[]judged{volume("a", verdict.Good, 3, noise.High), volume("b", verdict.Texture, 5, noise.Low), volume("c", verdict.Unknown, 4, noise.Fair), volume("d", verdict.Texture, 9, noise.None)}, "texture", "2 of 4 volumes; b: Because.", "4 low"},
		{[]judged{volume("a", verdict.Fades, 1, noise.Fair), volume("b", verdict.Texture, 2, noise.High), {Name: "c"}}, "fades", "1 of 3 volumes; a: Because.", "2 fair"},
		{[]judged{volume("a", verdict.Good, 1, noise.High), volume("b", verdict.Good, 2, noise.High)}, "good", "2 of 2 volumes; a: Because.", "2 high"},
	} {
		r := SeriesResult{State: Done}
		r.judge(x.all)
		sigma := ""
		if text := sigmaText(r); text != "" {
			sigma = fmt.Sprintf("%s %s", text, r.SigmaConfidence)
		}
		equal(t, "judged", []string{r.Judgement, r.Why, sigma}, []string{x.judgement, x.why, x.sigmaText})
	}
}

// TestDescribe: an output is known by the names and sizes of its files, in folders too.
func TestDescribe(t *testing.T) {
	root := tree(t, "d/001/IM1", "d/002/IM1", "f.nii", "h.hdr", "h.img")
	s := store{root}
	describe := func(name string) SeriesResult {
		r := SeriesResult{Output: name}
		var err error
		if r.Content, err = s.content(name); errors.Join(err, s.describe(&r)) != nil {
			t.Fatal(err)
		}
		return r
	}
	d, f, h := describe("d"), describe("f.nii"), describe("h.hdr")
	equal(t, "files and bytes", []int64{int64(d.Files), d.Bytes, int64(f.Files), f.Bytes, int64(h.Files), h.Bytes}, []int64{2, 18, 1, 5, 2, 10})
	for _, r := range []SeriesResult{d, f, h} {
		if !s.holds(r, true) {
			t.Errorf("%s is not held", r.Output)
		}
	}
	for _, name := range []string{"d/002/IM1", "h.img"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("other"+name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(root, "f.nii"), filepath.Join(root, "g.nii")); err != nil {
		t.Fatal(err)
	}
	for _, r := range []SeriesResult{d, f, h} {
		if s.holds(r, true) {
			t.Errorf("%s changed and is held", r.Output)
		}
	}
	moved := f
	moved.Output = "g.nii"
	if !s.holds(moved, true) {
		t.Error("the name of a file does not count, but where it lies")
	}
}
