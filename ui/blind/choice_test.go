package blind

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
)

// answered is a reading of which the first n trials are answered, every k-th wrongly; 0: none.
func answered(r *Reading, n, k int) *Reading {
	for i := range n {
		a := Left
		if r.Trials[i].Right != (k > 0 && i%k == 0) {
			a = Right
		}
		r.Answer(a)
	}
	return r
}

func TestReadingsAreDrawnBySeedAndGoOn(t *testing.T) {
	a, b := NewReading(7, 1, 10, 2), NewReading(7, 1, 10, 2)
	if !reflect.DeepEqual(a, b) || reflect.DeepEqual(a.Trials, NewReading(7, 2, 10, 2).Trials) {
		t.Error("a seed and a reader give one order")
	}
	met, right := map[Choice]int{}, 0
	for _, c := range a.Trials {
		met[Choice{Case: c.Case, Modality: c.Modality}]++
		if c.Right {
			right++
		}
	}
	if len(met) != 20 || right != 10 {
		t.Errorf("%d different trials, %d with the lesion on the right", len(met), right)
	}
	answered(a, 6, 0)
	a.Answer(Equal)
	data, err := json.Marshal(a)
	var again Reading
	if err != nil || json.Unmarshal(data, &again) != nil {
		t.Fatal(err)
	}
	if at, ok := again.Current(); at != 6 || !ok {
		t.Errorf("goes on at %d, %v", at, ok)
	}
	if _, ok := answered(NewReading(1, 1, 3, 1), 3, 0).Current(); ok {
		t.Error("all are answered")
	}
}

func TestShareOfRightAnswers(t *testing.T) {
	// One reader and one modality: Wilson's interval of 45 of 50.
	c := CorrectOf([]*Reading{answered(NewReading(1, 1, 50, 1), 50, 10)}, 0)
	if c.Right != 45 || math.Abs(c.Lo-0.7864) > 1e-4 || math.Abs(c.Hi-0.9565) > 1e-4 {
		t.Errorf("%+v", c)
	}
	// Four readers who all fail in the same cases know no more than one.
	var same []*Reading
	for reader := range 4 {
		r := NewReading(1, 1, 50, 1)
		r.Reader = reader + 1
		same = append(same, answered(r, 50, 10))
	}
	if of := CorrectOf(same, 0); of.Of != 200 || of.Lo > c.Lo+0.01 || of.Hi < c.Hi-0.01 {
		t.Errorf("%+v, one reader %+v", of, c)
	}
	if none := CorrectOf(nil, 0); !math.IsNaN(none.Share) || none.Lo != 0 || none.Hi != 1 {
		t.Errorf("%+v", none)
	}
}

func TestFileForIMRMC(t *testing.T) {
	text := IMRMC([]*Reading{answered(NewReading(3, 1, 4, 2), 8, 4), answered(NewReading(3, 2, 4, 2), 8, 0)}, "a study")
	head, data, ok := strings.Cut(text, "BEGIN DATA:\n")
	if !ok || !strings.HasPrefix(head, "a study\n") || !strings.Contains(head, "\nN0: 2\nN1: 4\nNR: 2\nNM: 2\n") {
		t.Errorf("head %q", head)
	}
	truth, right := 0, 0
	rows := strings.Fields(data)
	for _, row := range rows {
		if strings.Count(row, ",") != 3 {
			t.Errorf("row %q", row)
		}
		if strings.HasPrefix(row, "-1,") {
			truth++
		} else if strings.HasSuffix(row, ",1") {
			right++
		}
	}
	// Truth of six cases; two readers of two modalities with two thresholds and four cases, two answers wrong.
	if truth != 6 || len(rows) != 6+2*2*6 || right != 14 {
		t.Errorf("%d rows of truth, %d rows, %d right:\n%s", truth, len(rows), right, data)
	}
}
