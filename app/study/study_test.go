package study_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"quell/app/engines"
	"quell/app/judge"
	"quell/app/study"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/measure/readers"
	"quell/series"
	"quell/volume"
)

// request asks for a lesion in an even square of noise.
func request(t *testing.T, seed uint64) judge.LesionRequest {
	t.Helper()
	v := volume.New(volume.NewGeometry([3]int{140, 130, 1}, [3]float64{0.8, 0.8, 3}))
	for i := range v.Data {
		v.Data[i] = 200
	}
	v, err := noise.AddNoise(context.Background(), v, noise.Gaussian, 8, 5)
	if err != nil {
		t.Fatal(err)
	}
	r, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	return judge.LesionRequest{
		Series: &series.Series{Volume: v}, Recipe: r.With("sigma-spatial", denoise.Number(0.8)), Engine: engines.CPU(), Seed: seed,
		Sizes: []float64{4}, Contrasts: []judge.Contrast{{Value: 30}}, Places: 24,
	}
}

func TestAStudyIsMadeAndScored(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	page := filepath.Join(dir, "s.html")
	k, err := study.Write(ctx, request(t, 1), page, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(k.Trials) != 24 || k.Lesion.Size != 4 || k.Lesion.Contrast != 30 || !k.Recipe.Resolved() {
		t.Errorf("%d trials, %+v, %s", len(k.Trials), k.Lesion, k.Recipe)
	}
	again, shown, err := study.Make(ctx, request(t, 1))
	if err != nil || again.Study != k.Study {
		t.Errorf("the same request makes study %s, then %s: %v", k.Study, again.Study, err)
	}
	if other, _, err := study.Make(ctx, request(t, 2)); err != nil || other.Study == k.Study {
		t.Errorf("another seed makes the same study: %v", err)
	}
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if read, err := study.ReadPage(page); err != nil || len(read.Pairs) != 24 || !reflect.DeepEqual(read, shown) {
		t.Errorf("the page is read with %d pairs, %v", len(read.Pairs), err)
	}
	for _, secret := range []string{`"present"`, `"seed"`, `"filtered"`} {
		if bytes.Contains(html, []byte(secret)) {
			t.Errorf("the page tells %s", secret)
		}
	}

	answers := filepath.Join(dir, "a.csv")
	text := "study,reader,trial,choice\n"
	for i, trial := range k.Trials {
		text += fmt.Sprintf("%s,one,%d,%s\n", k.Study, i+1, map[bool]string{true: "left", false: "right"}[trial.Left == trial.Filtered])
	}
	if err := os.WriteFile(answers, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := study.Read([]string{answers, study.KeyPath(page)})
	if err != nil {
		t.Fatal(err)
	}
	if i := readers.Scores(r.Plans, r.Answers)[0].Filtered.Index; i.Value.Finite() || !i.Lo.Finite() || i.Lo <= 0 {
		t.Errorf("d' of 12 right answers of 12: %+v", i)
	}
	if s := readers.Scores(r.Plans, r.Answers); len(s) != 1 || s[0].AsItIs.Right != 0 || s[0].Filtered.Right != 12 || s[0].Difference.Pairs != 12 {
		t.Errorf("%+v", s)
	}
	out := filepath.Join(dir, "s.imrmc")
	if err := r.WriteIMRMC(out, false); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(out); err != nil || !strings.Contains(string(data), "\nN0: 12\nN1: 12\nNR: 1\nNM: 2\n") {
		t.Errorf("%v: %s", err, data)
	}
	if err := r.WriteIMRMC(out, false); err == nil {
		t.Error("a file that may be someone's is replaced unasked")
	}
	// Quell's own page and key are replaced.
	if _, err := study.Write(ctx, request(t, 1), page, false); err != nil {
		t.Error(err)
	}
}

func TestWhatIsNoStudy(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	data, err := json.Marshal(study.Key{Study: "s", Seed: 1, Trials: readers.Plan(4, 1)})
	if err != nil {
		t.Fatal(err)
	}
	key := write("k.json", string(data))
	head := "study,reader,trial,choice\n"
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{key}, "no answers are given"},
		{[]string{write("a.csv", head+"s,one,1,left\n")}, "no key is given"},
		{[]string{key, filepath.Join(dir, "none.csv")}, "none.csv"},
		{[]string{write("n.json", "{}"), write("b.csv", head)}, "it is no key of a study"},
		{[]string{key, write("c.csv", "")}, "no answers are given"},
		{[]string{key, write("d.csv", head+"a,b\n")}, "line 2 is not an answer"},
		{[]string{key, write("e.csv", "a,b,c,d\n")}, "the first line is not"},
		{[]string{key, write("f.csv", head+"s,one,1,up\n")}, "line 2 is not an answer"},
		{[]string{key, write("g.csv", head+"s,one,one,left\n")}, "line 2 is not an answer"},
		{[]string{key, write("h.csv", head+"s,one,5,left\n")}, "no key given has trial 5 of study s"},
		{[]string{key, write("i.csv", head+"s,one,0,left\n")}, "no key given has trial 0 of study s"},
		{[]string{key, write("j.csv", head+"other,one,1,left\n")}, "no key given has trial 1 of study other"},
	} {
		if _, err := study.Read(c.paths); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v; want %q", c.paths, err, c.want)
		}
	}
	answers := write("l.csv", head+"s,one,4,left\n")
	if _, err := study.Read([]string{key, answers}); err != nil {
		t.Error(err)
	}
	if _, err := study.Read([]string{dir, answers}); err == nil || !strings.Contains(err.Error(), "it is no file") {
		t.Errorf("a folder as a key: %v", err)
	}
	// A study of an odd number of cases is one; trials that a damaged file has otherwise are not scored.
	odd := study.Key{Study: "s", Seed: 7, Trials: readers.Plan(5, 7)}
	for name, damage := range map[string]func(k *study.Key){
		"": func(*study.Key) {}, "a side": func(k *study.Key) { k.Trials[2].Left = !k.Trials[2].Left }, "a modality": func(k *study.Key) { k.Trials[3].Filtered = !k.Trials[3].Filtered },
		"a case": func(k *study.Key) { k.Trials[1].Present = 1 << 60 }, "the seed": func(k *study.Key) { k.Seed ^= 4 }, "cut": func(k *study.Key) { k.Trials = k.Trials[:3] },
	} {
		k := odd
		k.Trials = slices.Clone(odd.Trials)
		damage(&k)
		data, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		_, err = study.Read([]string{write("o.json", string(data)), write("m.csv", head+"s,one,2,left\n")})
		if (err == nil) != (name == "") || err != nil && message.KindOf(err) != message.InputDamaged {
			t.Errorf("%s: %v", name, err)
		}
	}
}
