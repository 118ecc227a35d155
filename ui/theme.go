package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// Theme is the workbench's theme: neutral greys, because colours next to a picture
// change how its greys are perceived; dark, as in reading rooms; compact, to leave
// space for the pictures.
type Theme struct{}

var _ fyne.Theme = Theme{}

func grey(v uint8) color.NRGBA { return color.NRGBA{R: v, G: v, B: v, A: 0xff} }

// foreground is the grey 0xdc for all text. Fyne 2.7 derives the colour of the
// shortcuts in menus from it and keeps the low byte of each 16-bit channel, of
// alpha after a multiplication by 0.95: of an ordinary opaque colour remains an
// alpha of 50, a contrast of 1.7:1. These low bytes give an opaque grey 0xd6.
var foreground = color.RGBA64{R: 0xdcd6, G: 0xdcd6, B: 0xdcd6, A: 0xffca}

var colors = map[fyne.ThemeColorName]color.Color{
	theme.ColorNameBackground:          grey(0x26),
	theme.ColorNameButton:              grey(0x3a),
	theme.ColorNameDisabled:            grey(0x9a),
	theme.ColorNameDisabledButton:      grey(0x2e),
	theme.ColorNameForeground:          foreground,
	theme.ColorNameForegroundOnPrimary: grey(0xff),
	theme.ColorNameHeaderBackground:    grey(0x2c),
	theme.ColorNameHover:               color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0x14},
	theme.ColorNameFocus:               color.NRGBA{R: 0xa9, G: 0xb4, B: 0xc0, A: 0x58},
	theme.ColorNameInputBackground:     grey(0x1b),
	theme.ColorNameInputBorder:         grey(0x4a),
	theme.ColorNameMenuBackground:      grey(0x30),
	theme.ColorNameOverlayBackground:   grey(0x2b),
	theme.ColorNamePlaceHolder:         grey(0xa2),
	theme.ColorNamePressed:             color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0x28},
	theme.ColorNamePrimary:             color.NRGBA{R: 0x6c, G: 0x86, B: 0xa0, A: 0xff},
	theme.ColorNameScrollBar:           color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0x50},
	theme.ColorNameScrollBarBackground: color.NRGBA{},
	theme.ColorNameSelection:           color.NRGBA{R: 0x6c, G: 0x86, B: 0xa0, A: 0x70},
	theme.ColorNameSeparator:           grey(0x40),
	theme.ColorNameShadow:              color.NRGBA{A: 0x80},
	theme.ColorNameSuccess:             color.NRGBA{R: 0x8f, G: 0xbf, B: 0x8f, A: 0xff},
	theme.ColorNameWarning:             color.NRGBA{R: 0xff, G: 0xb3, B: 0x47, A: 0xff},
	theme.ColorNameError:               color.NRGBA{R: 0xff, G: 0x8a, B: 0x7a, A: 0xff},
	theme.ColorNameHyperlink:           color.NRGBA{R: 0x9f, G: 0xb8, B: 0xd0, A: 0xff},
}

var sizes = map[fyne.ThemeSizeName]float32{
	theme.SizeNameText:           13,
	theme.SizeNameCaptionText:    12,
	theme.SizeNameSubHeadingText: 15,
	theme.SizeNameHeadingText:    18,
	theme.SizeNamePadding:        3,
	theme.SizeNameInnerPadding:   5,
	theme.SizeNameLineSpacing:    3,
	theme.SizeNameInlineIcon:     17,
	theme.SizeNameScrollBar:      12,
	theme.SizeNameScrollBarSmall: 4,
}

// Color implements fyne.Theme; the workbench is dark on every desktop.
func (Theme) Color(name fyne.ThemeColorName, _ fyne.ThemeVariant) color.Color {
	if c, ok := colors[name]; ok {
		return c
	}
	return theme.DefaultTheme().Color(name, theme.VariantDark)
}

// Size implements fyne.Theme.
func (Theme) Size(name fyne.ThemeSizeName) float32 {
	if s, ok := sizes[name]; ok {
		return s
	}
	return theme.DefaultTheme().Size(name)
}

// Font implements fyne.Theme.
func (Theme) Font(style fyne.TextStyle) fyne.Resource { return theme.DefaultTheme().Font(style) }

// Icon implements fyne.Theme.
func (Theme) Icon(name fyne.ThemeIconName) fyne.Resource { return theme.DefaultTheme().Icon(name) }
