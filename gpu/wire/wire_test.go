package wire

import (
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"

	"quell/denoise"
	_ "quell/denoise/filter"
	"quell/volume"
)

func TestMessagesCross(t *testing.T) {
	r, err := denoise.NewRecipe("nlm", 3)
	if err != nil {
		t.Fatal(err)
	}
	sent := []Request{
		{ID: 1, Op: Alloc, Buffer: 7, Bytes: 1 << 40},
		{ID: 2, Op: Put, Buffer: 7, Offset: 3, Count: 9, Shared: 4096, Format: Int16},
		{ID: 3, Op: Bind, Program: 5, Binding: &Binding{Recipe: r, Spacing: [3]float64{0.7, 0.7, 1.25}, Dims: [3]int{4, 5, 6}}},
		{ID: 4, Op: Run, Lane: PreviewLane, Program: 5, Job: &Job{
			Inputs: map[string]Slices{denoise.Voxels: {Buffer: 7, First: 1, Count: 4}, Mask: {Buffer: 8, First: 1, Count: 4}},
			Region: volume.Region{Max: [3]int{4, 5, 1}}, Out: 9, At: 100, Scratch: 10,
		}},
	}
	var pipe bytes.Buffer
	if err := NewWriter(&pipe).Send(sent[0], sent[1], sent[2], sent[3]); err != nil {
		t.Fatal(err)
	}
	var got []Request
	if err := ReadRequests(&pipe, func(q Request) { got = append(got, q) }); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, sent) {
		t.Errorf("%+v came back as %+v", sent, got)
	}
}

func TestRepliesAmongDiagnostics(t *testing.T) {
	var out bytes.Buffer
	out.WriteString("a library's greeting\n{\"not\":\"ours\"}\nQUELL-GPU no json\n")
	w := NewWriter(&out)
	hello := Hello{Version: Version, Driver: 12020, Device: Device{Name: "GPU", Memory: 5}, Fault: &Fault{Kind: Memory, Text: "x"}}
	if err := w.SendHello(hello); err != nil {
		t.Fatal(err)
	}
	out.WriteString("printed in between\n")
	if err := w.Send(Reply{ID: 5, Millis: 1.5}); err != nil {
		t.Fatal(err)
	}
	out.WriteString("{broken\nlast words")
	var hellos []Hello
	var replies []Reply
	var diagnostics []string
	err := ReadReplies(&out,
		func(h Hello) { hellos = append(hellos, h) },
		func(r Reply) { replies = append(replies, r) },
		func(s string) { diagnostics = append(diagnostics, s) })
	if err != nil {
		t.Fatal(err)
	}
	if len(hellos) != 1 || !reflect.DeepEqual(hellos[0], hello) {
		t.Errorf("hello %+v; want %+v", hellos, hello)
	}
	if want := []Reply{{ID: 5, Millis: 1.5}}; !reflect.DeepEqual(replies, want) {
		t.Errorf("replies %+v; want %+v", replies, want)
	}
	want := "a library's greeting|{\"not\":\"ours\"}|QUELL-GPU no json|printed in between|{broken|last words"
	if got := strings.Join(diagnostics, "|"); got != want {
		t.Errorf("diagnostics %q; want %q", got, want)
	}
}

// An endless line must not fill the memory.
func TestEndlessLineIsRefused(t *testing.T) {
	endless := io.LimitReader(zeros{}, 100*maxLine)
	if err := ReadReplies(endless, func(Hello) {}, func(Reply) {}, func(string) {}); err == nil {
		t.Error("no error")
	}
	if err := ReadRequests(strings.NewReader("no request\n"), func(Request) {}); err == nil {
		t.Error("a line that is not a request gave no error")
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func FuzzReplies(f *testing.F) {
	f.Add([]byte("QUELL-GPU {\"version\":2}\n{\"id\":1,\"fault\":{\"kind\":\"device\",\"text\":\"t\"}}\n"))
	f.Add([]byte("noise\n\n{}\n{\"id\":-1}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		hellos, rest := 0, 0
		_ = ReadReplies(bytes.NewReader(b),
			func(Hello) { hellos++ },
			func(r Reply) {
				if hellos == 0 || r.ID == 0 {
					t.Error("a reply before the hello, or to nothing")
				}
			},
			func(string) { rest++ })
		if hellos > 1 {
			t.Error("two hellos")
		}
	})
}
