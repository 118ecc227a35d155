// Package palette has every colour that the window paints with: one set for each theme, and the colours on pictures,
// which are the same in both. No other package of ui has a colour as a literal.
package palette

import "image/color"

// Colors are the colours of a theme. They are neutral greys, because colours next to a picture change how its greys are
// perceived; colour is left to curves, verdicts and what has the focus.
type Colors struct {
	// Controls and texts. Text on any ground has a contrast of 4.5:1 at least, Primary and Foreground as a ring one of 3:1.
	Background, Overlay, Menu, Header color.NRGBA // grounds
	Input, InputBorder                color.NRGBA
	Button, DisabledButton            color.NRGBA
	Foreground                        color.NRGBA
	Quiet                             color.NRGBA // placeholders and text in grey
	Disabled                          color.NRGBA
	Primary, OnPrimary                color.NRGBA // the choice, and the main button
	Link                              color.NRGBA
	Success, Warning, Error           color.NRGBA
	OnStatus                          color.NRGBA // text on a ground of Success, Warning or Error
	Hover, Pressed, Focus, Selection  color.NRGBA // translucent
	ScrollBar, Separator, Shadow      color.NRGBA

	// Charts.
	ChartGround, ChartInk, ChartGrid color.NRGBA
	Before, BeforeFill, After        color.NRGBA // the original and the result
	Removed                          color.NRGBA // the residual
	Best, Present                    color.NRGBA
	Sizes                            [3]color.NRGBA // of lesions; they differ in lightness too

	// The strip of the slices.
	Sigma, UnsureSigma, Current               color.NRGBA
	Unjudged, Unknown, Under, Matched, Strong color.NRGBA // the verdicts; Strong removes more than noise
	Clean                                     color.NRGBA

	// The badges of the open series; their text is Picture.Ground.
	Running, Unexported, Exported color.NRGBA
}

func grey(v uint8) color.NRGBA { return color.NRGBA{R: v, G: v, B: v, A: 0xff} }

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

// faded returns a colour with another alpha.
func faded(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// Dark is for reading rooms.
var Dark = &Colors{
	Background: grey(0x26), Overlay: grey(0x2b), Menu: grey(0x30), Header: grey(0x2c),
	Input: grey(0x1b), InputBorder: grey(0x4a),
	Button: grey(0x3a), DisabledButton: grey(0x2e),
	Foreground: grey(0xdc), Quiet: grey(0xa2), Disabled: grey(0x9a),
	Primary: rgb(0x5c7790), OnPrimary: grey(0xff), Link: rgb(0x9fb8d0),
	Success: rgb(0x8fbf8f), Warning: rgb(0xffb347), Error: rgb(0xff8a7a), OnStatus: grey(0x14),
	Hover: faded(grey(0xff), 0x14), Pressed: faded(grey(0xff), 0x28), Focus: faded(rgb(0xa9b4c0), 0x50), Selection: faded(rgb(0x6c86a0), 0x70),
	ScrollBar: faded(grey(0xff), 0x50), Separator: grey(0x40), Shadow: faded(grey(0), 0x80),

	ChartGround: grey(0x1b), ChartInk: grey(0xc0), ChartGrid: grey(0x34),
	Before: grey(0x9a), BeforeFill: faded(grey(0x9a), 0x40), After: rgb(0xffb347), Removed: rgb(0x6fb4ff),
	Best: rgb(0x8fbf8f), Present: grey(0xdc), Sizes: [3]color.NRGBA{rgb(0xffb347), rgb(0x7fb2ff), grey(0xd8)},

	Sigma: rgb(0x7c8ca0), UnsureSigma: rgb(0x4a5058), Current: grey(0xf0),
	Unjudged: grey(0x34), Unknown: grey(0x70), Under: rgb(0x6c9ad0), Matched: rgb(0x8fbf8f), Strong: rgb(0xffb347), Clean: grey(0xd8),

	Running: rgb(0x8fb4d8), Unexported: rgb(0xffb347), Exported: rgb(0x8fbf8f),
}

// Light is for bright rooms. Panes stay black.
var Light = &Colors{
	Background: grey(0xee), Overlay: grey(0xf4), Menu: grey(0xf7), Header: grey(0xe4),
	Input: grey(0xff), InputBorder: grey(0xb4),
	Button: grey(0xd8), DisabledButton: grey(0xe6),
	Foreground: grey(0x1c), Quiet: grey(0x56), Disabled: grey(0x66),
	Primary: rgb(0x44709a), OnPrimary: grey(0xff), Link: rgb(0x1f5fa8),
	Success: rgb(0x26682e), Warning: rgb(0x8a4b00), Error: rgb(0xb3261e), OnStatus: grey(0xff),
	Hover: faded(grey(0), 0x12), Pressed: faded(grey(0), 0x24), Focus: faded(rgb(0x44709a), 0x48), Selection: faded(rgb(0x44709a), 0x50),
	ScrollBar: faded(grey(0), 0x60), Separator: grey(0xc8), Shadow: faded(grey(0), 0x40),

	ChartGround: grey(0xff), ChartInk: grey(0x38), ChartGrid: grey(0xdc),
	Before: grey(0x6e), BeforeFill: faded(grey(0x6e), 0x38), After: rgb(0xc05a00), Removed: rgb(0x1f6fc0),
	Best: rgb(0x2e7d32), Present: grey(0x20), Sizes: [3]color.NRGBA{rgb(0xc05a00), rgb(0x1f6fc0), grey(0x38)},

	Sigma: rgb(0x6a7f98), UnsureSigma: rgb(0xb4bcc6), Current: grey(0x10),
	Unjudged: grey(0xd2), Unknown: grey(0x90), Under: rgb(0x2e6da4), Matched: rgb(0x2e7d32), Strong: rgb(0xc05a00), Clean: grey(0x58),

	Running: rgb(0x8fb4d8), Unexported: rgb(0xffb347), Exported: rgb(0x8fbf8f),
}

// All are the themes by name, for tests.
var All = map[string]*Colors{"dark": Dark, "light": Light}
