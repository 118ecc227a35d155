package report

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

// TestAReport: layout, blocks and pictures are shared, and values are text.
func TestAReport(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 3, 2))
	file, err := PNG(m, "")
	if err != nil {
		t.Fatal(err)
	}
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, m, nil); err != nil {
		t.Fatal(err)
	}
	var facts Facts
	facts.Add("Name", "Doe & <b>\u202eevil\x1b")
	facts.Add("Nothing", "")
	var out strings.Builder
	err = Write(&out, "toy", "Toy & <i>", func(p *Page) {
		p.Facts(facts)
		p.Table(Table{Head: []string{"h"}, Rows: [][]string{{"<1>"}}})
		p.Table(Table{Head: []string{"no"}})
		p.Warn()
		p.Add(`<img src="%s" alt="%s"><img src="%s">%03d`, Picture(file), `"quoted"`, Picture(photo.Bytes()), 7)
		p.Row("well", "td", nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	got := out.String()
	for _, want := range []string{
		"<title>Toy &amp; &lt;i&gt;</title>", "<style>", `<th>Name</th><td>Doe &amp; &lt;b&gt;\u202eevil\u001b</td>`, "<th>h</th>", "<td>&lt;1&gt;</td>", "Not for clinical use", `alt="&#34;quoted&#34;"`, ">007<", `<tr class="well"></tr>`,
		`src="data:image/png;base64,iVBOR`, `src="data:image/jpeg;base64,/9j/`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if at := strings.Index(got, Mark("toy")); at < 0 || at > 1000 {
		t.Errorf("the mark begins at byte %d", at)
	}
	if strings.Contains(got, "Nothing") || strings.Contains(got, "<th>no</th>") || strings.Contains(got, "http") {
		t.Error("the report shows what is empty, or refers to another file")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestErrorsOfAReport(t *testing.T) {
	if err := Write(full{}, "toy", "", func(*Page) {}); err == nil {
		t.Error("a full disk")
	}
}

func TestPNGIsKnownAgain(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 5, 3))
	m.Set(4, 2, color.White)
	file, err := PNG(m, "σ=1")
	if err != nil || !bytes.Contains(file[:min(256, len(file))], []byte(PictureMark)) || !bytes.Contains(file, []byte("Description\x00\x00\x00\x00\x00σ=1")) {
		t.Errorf("no mark or no description: %q, %v", file, err)
	}
	back, err := png.Decode(bytes.NewReader(file))
	if err != nil || back.Bounds() != m.Rect || color.GrayModel.Convert(back.At(4, 2)) != (color.Gray{255}) {
		t.Errorf("read back %v, %v", back, err)
	}
	if _, err := PNG(image.NewRGBA(image.Rectangle{}), ""); err == nil {
		t.Error("a picture without a pixel")
	}
}

// Pixels that are not square are repeated along their longer side.
func TestSquarePixels(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 4, 3))
	m.Pix[0] = 9
	for _, c := range []struct {
		pixel [2]float64
		want  image.Point
	}{{[2]float64{0.5, 0.5}, image.Pt(4, 3)}, {[2]float64{1, 2.5}, image.Pt(4, 8)}, {[2]float64{3, 1}, image.Pt(12, 3)}} {
		got := SquarePixels(m, c.pixel)
		if got.Bounds().Size() != c.want {
			t.Errorf("%v: %v; want %v", c.pixel, got.Bounds().Size(), c.want)
		}
		if r, _, _, _ := got.At(0, 0).RGBA(); r>>8 != 9 {
			t.Errorf("%v: the first pixel is %d", c.pixel, r>>8)
		}
	}
}

// TestSheet: pictures are magnified by a whole number if lines need it, and stand in rows above
// their lines, which are cut to the letters that fit.
func TestSheet(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 30, 20))
	for i := range m.Pix {
		m.Pix[i] = 200
	}
	for letters, width := range map[int]int{4: 30, 5: 60, 8: 60, 9: 90} {
		s := Sheet(letters, Cell{m, []string{strings.Repeat("#", 50)}}, Cell{m, nil}, Cell{nil, []string{"a", "b"}})
		height := width * 2 / 3
		if size := s.Rect.Size(); size != image.Pt(2*(width+6)+6, 2*(height+2*14+6)+6) {
			t.Errorf("%d letters: %v", letters, size)
		}
		grey := color.RGBA{200, 200, 200, 200}
		if s.RGBAAt(6, 6) != grey || s.RGBAAt(5, 6) == grey || s.RGBAAt(6+width-1, 6+height-1) != grey || s.RGBAAt(2*6+width, 6) != grey || s.RGBAAt(6, 2*6+height+28) == grey {
			t.Errorf("%d letters: the pictures are elsewhere", letters)
		}
		white := 0
		for x := 6 + width; x < 6+width+6; x++ {
			for y := 6 + height; y < 6+height+28; y++ {
				if s.RGBAAt(x, y) == (color.RGBA{255, 255, 255, 255}) {
					white++
				}
			}
		}
		if white > 0 {
			t.Errorf("%d letters: a line is wider than its picture", letters)
		}
	}
}
