package screen

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"quell/app/workbench"
	"quell/ui/palette"
)

// Theme is the workbench's theme: neutral greys, and compact, to leave space for the pictures.
type Theme struct {
	Appearance string // of the settings
}

var _ fyne.Theme = Theme{}

// Colors returns the colours of the theme on a desktop that has a variant.
func (t Theme) Colors(desktop fyne.ThemeVariant) *palette.Colors {
	if t.Appearance == workbench.Light || t.Appearance == workbench.System && desktop == theme.VariantLight {
		return palette.Light
	}
	return palette.Dark
}

// Colors returns the colours of the theme that is in use, the dark ones without a theme of the workbench. It is for the UI
// goroutine; drawers on other goroutines are given the colours.
func Colors() *palette.Colors {
	if app := fyne.CurrentApp(); app != nil {
		if t, ok := app.Settings().Theme().(Theme); ok {
			return t.Colors(app.Settings().ThemeVariant())
		}
	}
	return palette.Dark
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

	theme.SizeNameModalBlurRadius: 0, // pictures can be read beside a dialog, and repainting costs less
}

// named gives Fyne's names to colours.
func named(c *palette.Colors) map[fyne.ThemeColorName]color.Color {
	return map[fyne.ThemeColorName]color.Color{
		theme.ColorNameBackground:          c.Background,
		theme.ColorNameButton:              c.Button,
		theme.ColorNameDisabled:            c.Disabled,
		theme.ColorNameDisabledButton:      c.DisabledButton,
		theme.ColorNameError:               c.Error,
		theme.ColorNameFocus:               c.Focus,
		theme.ColorNameForeground:          c.Foreground,
		theme.ColorNameForegroundOnError:   c.OnStatus,
		theme.ColorNameForegroundOnPrimary: c.OnPrimary,
		theme.ColorNameForegroundOnSuccess: c.OnStatus,
		theme.ColorNameForegroundOnWarning: c.OnStatus,
		theme.ColorNameHeaderBackground:    c.Header,
		theme.ColorNameHover:               c.Hover,
		theme.ColorNameHyperlink:           c.Link,
		theme.ColorNameInputBackground:     c.Input,
		theme.ColorNameInputBorder:         c.InputBorder,
		theme.ColorNameMenuBackground:      c.Menu,
		theme.ColorNameOverlayBackground:   c.Overlay,
		theme.ColorNamePlaceHolder:         c.Quiet,
		theme.ColorNamePressed:             c.Pressed,
		theme.ColorNamePrimary:             c.Primary,
		theme.ColorNameScrollBar:           c.ScrollBar,
		theme.ColorNameScrollBarBackground: color.Transparent,
		theme.ColorNameSelection:           c.Selection,
		theme.ColorNameSeparator:           c.Separator,
		theme.ColorNameShadow:              c.Shadow,
		theme.ColorNameSuccess:             c.Success,
		theme.ColorNameWarning:             c.Warning,
	}
}

var byName = map[*palette.Colors]map[fyne.ThemeColorName]color.Color{palette.Dark: named(palette.Dark), palette.Light: named(palette.Light)}

// Color implements fyne.Theme.
func (t Theme) Color(name fyne.ThemeColorName, desktop fyne.ThemeVariant) color.Color {
	colors := t.Colors(desktop)
	if c, ok := byName[colors][name]; ok {
		return c
	}
	variant := theme.VariantDark
	if colors == palette.Light {
		variant = theme.VariantLight
	}
	return theme.DefaultTheme().Color(name, variant)
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
