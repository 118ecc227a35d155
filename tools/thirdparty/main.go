// Command thirdparty writes what programs consist of, as the linker recorded it in them: the
// licences of all modules as THIRD_PARTY.md, and a bill of materials as CycloneDX (1.5, JSON).
//
//	thirdparty VERSION OUT PROGRAM...
//
// It runs in the root of the checkout. Licences come from the module cache. Parts that are no Go
// modules are in parts.go. The output depends on the programs and the checkout alone: it holds no
// time and no random number.
package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// part is one work of others in the programs.
type part struct {
	Name, Version string
	URL           string            // package URL, "" for none
	Sum           string            // SHA-256 in hex, "" if not known
	Licences      []string          // SPDX identifiers
	Texts         map[string][]byte // licence files by name
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: thirdparty VERSION OUT PROGRAM...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "thirdparty:", err)
		os.Exit(1)
	}
}

func run(version, out string, programs []string) error {
	parts, err := modules(programs)
	if err != nil {
		return err
	}
	others, err := otherParts()
	if err != nil {
		return err
	}
	parts = append(parts, others...)
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.Name+" "+a.Version, b.Name+" "+b.Version) })
	for i, p := range parts {
		if parts[i].Licences = licences(p.Texts); len(parts[i].Licences) == 0 {
			return fmt.Errorf("%s %s: no licence is known; add its text to recognise it by", p.Name, p.Version)
		}
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "THIRD_PARTY.md"), page(parts), 0o644); err != nil {
		return err
	}
	bill, err := bill(version, parts)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "quell.cdx.json"), bill, 0o644)
}

// modules returns the modules that are linked into any of the programs, and Go itself.
func modules(programs []string) ([]part, error) {
	sums := map[string]string{} // by path@version
	toolchain := ""
	for _, program := range programs {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", program, err)
		}
		toolchain = info.GoVersion
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			if !strings.HasPrefix(m.Path, ".") { // else it is a folder of this repository, see otherParts
				sums[m.Path+"@"+m.Version] = m.Sum
			}
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	texts, err := licenceFiles(strings.TrimSpace(string(root)))
	if err != nil {
		return nil, err
	}
	version := strings.TrimPrefix(toolchain, "go")
	parts := []part{{Name: "Go standard library", Version: version, URL: "pkg:golang/std@" + version, Texts: texts}}
	for _, at := range slices.Sorted(maps.Keys(sums)) {
		name, version, _ := strings.Cut(at, "@")
		dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", at).Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		texts, err := licenceFiles(strings.TrimSpace(string(dir)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		if name == "fyne.io/fyne/v2" { // its fonts have licences of their own
			fonts, err := licenceFiles(filepath.Join(strings.TrimSpace(string(dir)), "theme", "font"))
			if err != nil {
				return nil, err
			}
			for file, text := range fonts {
				texts["font "+file] = text
			}
		}
		parts = append(parts, part{Name: name, Version: version, URL: "pkg:golang/" + at, Sum: hashOf(sums[at]), Texts: texts})
	}
	return parts, nil
}

// hashOf returns the hash of a module's files in hex: sum is of the form h1:base64 (SHA-256).
func hashOf(sum string) string {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sum, "h1:"))
	if err != nil {
		return ""
	}
	return hex.EncodeToString(raw)
}

// licenceFiles reads the files of a folder that state a licence.
func licenceFiles(dir string) (map[string][]byte, error) {
	if dir == "" {
		return nil, errors.New("it is not in the module cache; build first")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		isText := strings.HasPrefix(name, "LICEN") || strings.HasPrefix(name, "COPYING") || strings.HasPrefix(name, "NOTICE") || strings.HasPrefix(name, "UNLICENSE")
		if e.IsDir() || !isText {
			continue
		}
		if texts[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// page is THIRD_PARTY.md: a table, and each text once with all parts that it is of.
func page(parts []part) []byte {
	var b bytes.Buffer
	b.WriteString("# Works of others in Quell\n\nQuell is under the Apache License 2.0 (LICENSE). Its programs contain these works:\n\n| work | version | licence |\n| --- | --- | --- |\n")
	users := map[string][]string{} // of a text
	order := []string{}
	for _, p := range parts {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", p.Name, p.Version, strings.Join(p.Licences, ", "))
		for _, name := range slices.Sorted(maps.Keys(p.Texts)) {
			text := strings.TrimSpace(strings.ReplaceAll(string(p.Texts[name]), "\r\n", "\n"))
			if users[text] == nil {
				order = append(order, text)
			}
			users[text] = append(users[text], p.Name)
		}
	}
	for _, text := range order {
		fmt.Fprintf(&b, "\n## %s\n\n~~~\n%s\n~~~\n", strings.Join(users[text], ", "), text)
	}
	return b.Bytes()
}

// The parts of a bill of materials, as CycloneDX names them.
type (
	component struct {
		Type     string          `json:"type"`
		Ref      string          `json:"bom-ref"`
		Name     string          `json:"name"`
		Version  string          `json:"version"`
		Hashes   []hash          `json:"hashes,omitempty"`
		Licences []licenceChoice `json:"licenses"`
		URL      string          `json:"purl,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	licenceChoice struct {
		Licence licence `json:"license"`
	}
	licence struct {
		ID string `json:"id"`
	}
)

func bill(version string, parts []part) ([]byte, error) {
	list := make([]component, len(parts))
	for i, p := range parts {
		list[i] = component{Type: "library", Ref: p.Name + "@" + p.Version, Name: p.Name, Version: p.Version, URL: p.URL, Licences: choices(p.Licences)}
		if p.Sum != "" {
			list[i].Hashes = []hash{{"SHA-256", p.Sum}}
		}
	}
	program := component{Type: "application", Ref: "quell@" + version, Name: "quell", Version: version, Licences: choices([]string{"Apache-2.0"})}
	return json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata": map[string]any{"component": program}, "components": list,
	}, "", "  ")
}

func choices(ids []string) (out []licenceChoice) {
	for _, id := range ids {
		out = append(out, licenceChoice{licence{id}})
	}
	return out
}
