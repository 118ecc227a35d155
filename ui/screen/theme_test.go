package screen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"image/color"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"quell/app/workbench"
	"quell/ui/palette"
)

// contrast is the WCAG contrast ratio of an 8-bit text colour on a ground; the
// text may be translucent.
func contrast(text, ground color.NRGBA) float64 {
	alpha := float64(text.A) / 255
	luminance := func(c [3]float64) float64 {
		for i, x := range c {
			x /= 255
			if x <= 0.04045 {
				c[i] = x / 12.92
			} else {
				c[i] = math.Pow((x+0.055)/1.055, 2.4)
			}
		}
		return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
	}
	g := [3]float64{float64(ground.R), float64(ground.G), float64(ground.B)}
	t := [3]float64{float64(text.R), float64(text.G), float64(text.B)}
	for i := range t {
		t[i] = alpha*t[i] + (1-alpha)*g[i]
	}
	a, b := luminance(t), luminance(g)
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

// over is a translucent colour on an opaque one.
func over(top, ground color.NRGBA) color.NRGBA {
	mix := func(t, g uint8) uint8 { return uint8((int(t)*int(top.A) + int(g)*(255-int(top.A))) / 255) }
	return color.NRGBA{R: mix(top.R, ground.R), G: mix(top.G, ground.G), B: mix(top.B, ground.B), A: 255}
}

// nrgba returns a colour in 8 bits.
func nrgba(c color.Color) color.NRGBA { return color.NRGBAModel.Convert(c).(color.NRGBA) }

// Texts have 4.5:1 and what shows a state 3:1, the limits of WCAG 2.1, in every theme.
func TestContrast(t *testing.T) {
	for _, appearance := range []string{workbench.Dark, workbench.Light} {
		th := Theme{Appearance: appearance}
		get := func(name fyne.ThemeColorName) color.NRGBA { return nrgba(th.Color(name, theme.VariantDark)) }
		if c := get(theme.ColorNameForeground); c.A != 0xff {
			t.Errorf("%s: text is %v; want it opaque", appearance, c)
		}
		const text, state = 4.5, 3
		check := func(what string, top, ground color.NRGBA, least float64) {
			t.Helper()
			if got := contrast(top, ground); !(got >= least) {
				t.Errorf("%s: %s has a contrast of %.2f:1; want at least %.1f:1", appearance, what, got, least)
			}
		}
		foreground, grey, off := get(theme.ColorNameForeground), get(theme.ColorNamePlaceHolder), get(theme.ColorNameDisabled)
		menu := get(theme.ColorNameMenuBackground)
		chosen := over(get(theme.ColorNameFocus), menu)
		check("a menu item", foreground, menu, text)
		check("a chosen menu item", foreground, chosen, text)
		check("a disabled menu item", off, menu, text)
		button := get(theme.ColorNameButton)
		check("a button", foreground, button, text)
		check("a button below the pointer", foreground, over(get(theme.ColorNameHover), button), text)
		check("a button with the focus", foreground, over(get(theme.ColorNameFocus), button), text)
		check("a disabled button", off, get(theme.ColorNameDisabledButton), text)
		check("a placeholder", grey, get(theme.ColorNameInputBackground), text)
		check("a field", foreground, get(theme.ColorNameInputBackground), text)
		check("selected text", foreground, over(get(theme.ColorNameSelection), get(theme.ColorNameInputBackground)), text)
		primary := get(theme.ColorNamePrimary)
		check("the main button", get(theme.ColorNameForegroundOnPrimary), primary, text)
		check("the ring of the focus on the main button", foreground, primary, state)
		check("the ring of the focus on a button", foreground, over(get(theme.ColorNameFocus), button), state)
		for _, name := range []fyne.ThemeColorName{theme.ColorNameBackground, theme.ColorNameOverlayBackground} {
			ground := get(name)
			where := " on " + string(name)
			check("a label"+where, foreground, ground, text)
			check("a grey label"+where, grey, ground, text)
			check("a disabled label"+where, off, ground, text)
			check("a success"+where, get(theme.ColorNameSuccess), ground, text)
			check("a warning"+where, get(theme.ColorNameWarning), ground, text)
			check("an error"+where, get(theme.ColorNameError), ground, text)
			check("a link"+where, get(theme.ColorNameHyperlink), ground, text)
			check("what is chosen"+where, primary, ground, state)
		}
		c := th.Colors(theme.VariantDark)
		for _, name := range []fyne.ThemeColorName{theme.ColorNameSuccess, theme.ColorNameWarning, theme.ColorNameError} {
			check("text on "+string(name), c.OnStatus, get(name), text)
		}
		check("letters of a chart", c.ChartInk, c.ChartGround, text)
		for what, line := range map[string]color.NRGBA{
			"the original": c.Before, "the result": c.After, "the residual": c.Removed, "the best": c.Best, "the present": c.Present,
			"a size": c.Sizes[0], "another size": c.Sizes[1], "a third size": c.Sizes[2],
		} {
			check("the curve of "+what, line, c.ChartGround, state)
		}
		for what, mark := range map[string]color.NRGBA{
			"sigma": c.Sigma, "the current slice": c.Current, "too weak": c.Under, "matched": c.Matched, "too strong": c.Strong, "clean": c.Clean,
		} {
			check("the mark of "+what, mark, c.Background, state)
		}
		for what, badge := range map[string]color.NRGBA{"running": c.Running, "a result": c.Unexported, "exported": c.Exported} {
			check("the badge of "+what, palette.Picture.Ground, badge, text)
		}
	}
	// Texts on pictures lie on a plate, which has the colour of the ground over air.
	for what, c := range map[string]color.NRGBA{
		"text": palette.Picture.Text, "dim text": palette.Picture.Dim, "a direction": palette.Picture.Letters, "a mark": palette.Picture.Mark,
		"a selected mark": palette.Picture.Selected, "good": palette.Picture.Good, "busy": palette.Picture.Busy, "caution": palette.Picture.Caution,
	} {
		if got := contrast(c, palette.Picture.Ground); !(got >= 4.5) {
			t.Errorf("%s on a picture has a contrast of %.2f:1", what, got)
		}
	}
}

// The settings choose the theme; the desktop's counts if they say so.
func TestAppearance(t *testing.T) {
	test.NewTempApp(t)
	for _, c := range []struct {
		appearance string
		desktop    fyne.ThemeVariant
		want       *palette.Colors
	}{
		{workbench.Dark, theme.VariantLight, palette.Dark},
		{workbench.Light, theme.VariantDark, palette.Light},
		{workbench.System, theme.VariantDark, palette.Dark},
		{workbench.System, theme.VariantLight, palette.Light},
		{"", theme.VariantLight, palette.Dark},
	} {
		th := Theme{Appearance: c.appearance}
		if got := th.Colors(c.desktop); got != c.want {
			t.Errorf("%q on a desktop of variant %d has the colours %v", c.appearance, c.desktop, got.Background)
		}
		// Fyne's own colours, which the palette does not name, follow.
		want := theme.VariantDark
		if c.want == palette.Light {
			want = theme.VariantLight
		}
		name := theme.ColorNameForegroundOnPrimary + "-unknown"
		if got := th.Color(name, c.desktop); got != theme.DefaultTheme().Color(name, want) {
			t.Errorf("%q: %v", c.appearance, got)
		}
	}
}

// No package of the window paints with a colour of its own, which one of the themes would not suit.
func TestColorsAreInThePalette(t *testing.T) {
	var seen int
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "palette" {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		seen++
		positions := token.NewFileSet()
		f, err := parser.ParseFile(positions, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if literalColor(n) {
				t.Errorf("%s: a colour that is not in ui/palette", positions.Position(n.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil || seen < 100 {
		t.Errorf("%d files, %v", seen, err)
	}
}

// literalColor says whether a node is color.White, color.Black or a colour with a number for one of its channels.
func literalColor(n ast.Node) bool {
	ofColor := func(e ast.Expr) string {
		s, ok := e.(*ast.SelectorExpr)
		if !ok {
			return ""
		}
		if x, ok := s.X.(*ast.Ident); !ok || x.Name != "color" {
			return ""
		}
		return s.Sel.Name
	}
	switch n := n.(type) {
	case *ast.SelectorExpr:
		name := ofColor(n)
		return name == "White" || name == "Black"
	case *ast.CompositeLit:
		of := n.Type
		switch t := of.(type) {
		case *ast.ArrayType:
			of = t.Elt
		case *ast.MapType:
			of = t.Value
		}
		if ofColor(of) == "" {
			return false
		}
		literal := false
		ast.Inspect(n, func(part ast.Node) bool {
			pair, ok := part.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			channel, named := pair.Key.(*ast.Ident)
			number, isNumber := pair.Value.(*ast.BasicLit)
			literal = literal || named && isNumber && number.Kind == token.INT && slices.Contains([]string{"R", "G", "B", "Y"}, channel.Name)
			return true
		})
		return literal
	}
	return false
}

func TestLiteralColor(t *testing.T) {
	for source, want := range map[string]bool{
		`color.White`: true, `color.Transparent`: false, `theme.White`: false,
		`color.NRGBA{R: 0x12, A: 0xff}`: true, `color.NRGBA{R: mix(1), A: 255}`: false, `color.NRGBA{}`: false,
		`[]color.NRGBA{{R: 1}}`: true, `map[int]color.NRGBA{3: {G: 2}}`: true, `map[int]color.NRGBA{3: c.Under}`: false,
	} {
		e, err := parser.ParseExpr(source)
		found := false
		ast.Inspect(e, func(n ast.Node) bool {
			found = found || n != nil && literalColor(n)
			return true
		})
		if err != nil || found != want {
			t.Errorf("%s: %v, %v", source, found, err)
		}
	}
}
