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
		{ID: 3, Op: Bind, Program: 5, Binding: &Binding{Recipe: r, Spacing: [3]float64{0.7, 0.7, 1.25}, Dims: [3]int{4, 5, 6}, UsualSigma: 0.1, Last: "scales"}},
		{ID: 4, Op: Run, Lane: PreviewLane, Program: 5, Run: &RunArgs{
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

// A program is bound again from its binding, with the passes of a noise map or without.
func TestBindingsBecomePrograms(t *testing.T) {
	r, err := denoise.NewRecipe("median", 3)
	if err != nil {
		t.Fatal(err)
	}
	b := Binding{Recipe: r.With("radius", denoise.List(1, 2, 3)), Spacing: [3]float64{0.7, 0.7, 1.25}, Dims: [3]int{4, 5, 6}}
	for _, usual := range []float32{0, 0.1} {
		b.UsualSigma = usual
		p, err := b.Program()
		if err != nil {
			t.Fatal(err)
		}
		want := 1
		if usual > 0 {
			want = 3
		}
		if len(p.Passes) != want || p.UsualSigma != usual || p.Reach() != [3]int{1, 2, 3} {
			t.Errorf("usual sigma %g: %d passes, %g; want %d", usual, len(p.Passes), p.UsualSigma, want)
		}
	}
	b.UsualSigma, b.Recipe = 0, b.Recipe.With("stabilise", denoise.Number(4))
	if p, err := b.Program(); err != nil || len(p.Passes) != 3 || p.Stabilised != 4 {
		t.Errorf("stabilised: %d passes by %g, %v", len(p.Passes), p.Stabilised, err)
	}
	b.Last = denoise.StabiliseNoise
	if p, err := b.Program(); err != nil || len(p.Passes) != 1 || p.Last != b.Last {
		t.Errorf("up to a pass: %d passes, %q, %v", len(p.Passes), p.Last, err)
	}
	b.Last = "nothing"
	if _, err := b.Program(); err == nil {
		t.Error("a program ends with a pass that it does not have")
	}
	b.Last = ""
	b.Recipe = r.With("radius", denoise.List(99))
	if p, err := b.Program(); err == nil || p.Passes != nil {
		t.Errorf("a recipe that cannot be bound: %v", err)
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

// TestSizesOfFormats pins the bytes of one element of each format.
func TestSizesOfFormats(t *testing.T) {
	for f, want := range map[Format]int64{Float32: 4, Int16: 2, Bytes: 1} {
		if got := f.Size(); got != want {
			t.Errorf("%s: %d bytes; want %d", f, got, want)
		}
	}
}

func TestAFaultIsAnError(t *testing.T) {
	var err error = &Fault{Kind: Memory, Text: "the GPU has no room"}
	if err.Error() != "the GPU has no room" {
		t.Errorf("%q", err)
	}
}

// TestScratchIsAligned checks sizes on both sides of the alignment to 256 bytes.
func TestScratchIsAligned(t *testing.T) {
	for _, c := range []struct {
		voxels []int64
		want   int64
	}{
		{nil, 0}, {[]int64{0}, 0}, {[]int64{1}, 256}, {[]int64{63}, 256}, {[]int64{64}, 256}, {[]int64{65}, 512},
		{[]int64{1, 64, 65}, 256 + 256 + 512},
	} {
		if got := ScratchBytes(c.voxels...); got != c.want {
			t.Errorf("%v voxels: %d bytes; want %d", c.voxels, got, c.want)
		}
	}
}

// TestTheLongestMessage checks a line of the limit and a line beyond it.
func TestTheLongestMessage(t *testing.T) {
	for n, ok := range map[int]bool{maxLine - 1: true, maxLine + 1: false} {
		lines := 0
		err := ReadReplies(strings.NewReader(strings.Repeat("x", n)+"\n"), func(Hello) {}, func(Reply) {}, func(string) { lines++ })
		if (err == nil) != ok || (lines == 1) != ok {
			t.Errorf("a line of %d bytes: %d lines, %v; want it read: %v", n, lines, err, ok)
		}
		request := `{"id":1,"op":"` + strings.Repeat("x", n-len(`{"id":1,"op":""}`)) + `"}` + "\n"
		requests := 0
		if err := ReadRequests(strings.NewReader(request), func(Request) { requests++ }); (err == nil) != ok || (requests == 1) != ok {
			t.Errorf("a request of %d bytes: %d requests, %v; want it read: %v", n, requests, err, ok)
		}
	}
}

// TestASecondHelloIsNoHello checks that a worker introduces itself once, and that a reply
// needs an ID.
func TestASecondHelloIsNoHello(t *testing.T) {
	const in = "{\"id\":3}\n" + Magic + "{\"version\":1}\n" + Magic + "{\"version\":2}\n\n{}\n{\"id\":4}\n"
	hellos, diagnostics := 0, 0
	var replies []uint64
	err := ReadReplies(strings.NewReader(in),
		func(h Hello) { hellos += h.Version },
		func(r Reply) { replies = append(replies, r.ID) },
		func(string) { diagnostics++ })
	if err != nil || hellos != 1 || diagnostics != 4 || !reflect.DeepEqual(replies, []uint64{4}) {
		t.Errorf("versions %d, replies %v, %d other lines, %v; want 1, 4 and 4", hellos, replies, diagnostics, err)
	}
}

// brokenPipe fails every write.
type brokenPipe struct{ writes int }

func (p *brokenPipe) Write([]byte) (int, error) { p.writes++; return 0, io.ErrClosedPipe }

// TestMessagesThatCannotBeSent checks that nothing is written of messages that cannot be
// encoded, that the next ones do not repeat them, and that errors of the pipe are returned.
func TestMessagesThatCannotBeSent(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	if err := w.Send(Reply{ID: 1}, func() {}); err == nil || out.Len() > 0 {
		t.Errorf("%v, %q was written; want an error and nothing", err, out.String())
	}
	if err := w.SendHello(Hello{Device: Device{Name: "x"}}); err != nil || !strings.HasPrefix(out.String(), Magic) || !strings.HasSuffix(out.String(), "}\n") {
		t.Errorf("%v, hello %q", err, out.String())
	}
	out.Reset()
	if err := w.Send(Reply{ID: 2}, Reply{ID: 3}); err != nil || out.String() != "{\"id\":2}\n{\"id\":3}\n" {
		t.Errorf("%v, %q", err, out.String())
	}
	var pipe brokenPipe
	w = NewWriter(&pipe)
	if err := w.Send(Reply{ID: 2}, Reply{ID: 3}); err == nil || pipe.writes != 1 {
		t.Errorf("%v after %d writes; want the error of one", err, pipe.writes)
	}
	if err := w.SendHello(Hello{}); err == nil {
		t.Error("a hello into a broken pipe gave no error")
	}
}
