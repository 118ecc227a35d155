package files

import (
	"os"
	"path/filepath"

	"quell/internal/message"
)

// SettingsPath returns the path of the settings: quell/settings.json in the user's
// configuration folder.
func SettingsPath() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", message.Errorf(message.NotSaved, "settings cannot be kept: %w", err)
	}
	return filepath.Join(dir, "quell", "settings.json"), nil
}
