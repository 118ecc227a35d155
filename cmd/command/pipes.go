package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"quell/app/files"
	"quell/app/job"
	"quell/app/pacs"
	"quell/cmd/option"
	"quell/internal/clean"
	"quell/internal/message"
)

// dash is the argument that means standard input or standard output.
const dash = "-"

// pipeLimit is how many bytes of a pipe are kept on the disk: a stream has no size that could be checked before.
const pipeLimit = 64 << 30

// pipes puts files in the place of what a command line names and is no file: "-", named pipes, which a shell makes of
// <(command), and references to a PACS. Readers and writers need files that they can seek in. The files are in a folder of the pipes' own, which
// close removes.
type pipes struct {
	Streams // no text passes out if an output is "-": it receives voxels

	dir   string            // "" before it is needed
	names map[string]string // what a person calls a file of dir
	made  string            // the file that goes to out at the end, or the folder that goes to place; "" for none
	place *pacs.Place       // nil for standard output
	spool *pacs.Spool       // of what was retrieved; nil before it is needed
}

type pipesKey struct{}

// within returns a context in which commands find p.
func (p *pipes) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, pipesKey{}, p)
}

// pipesOf returns the pipes of a command; outside of execute, pipes that refuse "-".
func pipesOf(cmd *cobra.Command) *pipes {
	if p, ok := cmd.Context().Value(pipesKey{}).(*pipes); ok {
		return p
	}
	return &pipes{Streams: Streams{In: strings.NewReader(""), Out: io.Discard}}
}

// StreamsOf returns the streams of the process that runs a command.
func StreamsOf(cmd *cobra.Command) Streams { return pipesOf(cmd).Streams }

// close removes the files.
func (p *pipes) close() {
	if p.dir != "" {
		os.RemoveAll(p.dir)
	}
	if p.spool != nil {
		p.spool.Close()
	}
}

// fitsPipe reports whether a series is one file of the format, which says what it is.
func fitsPipe(f *files.Format) bool { return !f.Folder() && f.Second == nil && len(f.Endings) > 0 }

// pipeEndings returns the endings of the formats that fit into a pipe.
func pipeEndings() (all []string) {
	for _, f := range files.Formats {
		if fitsPipe(f) {
			for _, e := range f.Endings {
				all = append(all, strings.TrimPrefix(e, "."))
			}
		}
	}
	return all
}

// AddFormat adds --format to a command whose OUT may be "-".
func AddFormat(cmd *cobra.Command) {
	option.AddName(cmd, new(string), "format", "format", pipeEndings(), "the `format` of an OUT of -, which is standard output: "+strings.Join(pipeEndings(), ", ")+"; that of IN if not given, nii for DICOM")
}

// redirect replaces pipes among the arguments, and among the flags that name inputs, by files. Text of a command with
// an output of "-" goes to stderr from here on.
func (p *pipes) redirect(cmd *cobra.Command, c Command, args []string) error {
	if err := p.archives(cmd, c, args); err != nil {
		return err
	}
	var inputs []string
	var output Output
	if c.Pipes {
		inputs = c.inputs(args)
		for _, out := range c.outputs(args) {
			output = out
		}
	}
	places := make([]*string, len(inputs))
	for i := range inputs {
		places[i] = &inputs[i]
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if v, ok := f.Value.(option.Input); ok && v.Pipe {
			places = append(places, v.Path)
		}
	})
	piped := output.Path != nil && *output.Path == dash
	if err := p.check(cmd, places, piped, output.Several); err != nil {
		return err
	}
	for _, place := range places {
		if err := p.input(cmd.Context(), place); err != nil {
			return err
		}
	}
	if !piped {
		return nil
	}
	cmd.SetOut(cmd.ErrOrStderr())
	return p.output(cmd, inputs, output.Path)
}

// check refuses what standard input and standard output cannot do.
func (p *pipes) check(cmd *cobra.Command, places []*string, piped, several bool) error {
	read := 0
	for _, place := range places {
		if *place == dash {
			read++
		}
	}
	format := cmd.Flags().Lookup("format")
	switch {
	case read > 1:
		return job.Usagef("standard input can be read once; give the other input a name")
	case read > 0 && isTerminal(p.In):
		return job.Usagef("standard input is a terminal; send a file to it, as in: quell %s - <FILE", cmd.Name())
	case !piped && format != nil && format.Changed:
		return job.Usagef("--format is for an OUT of -; the name of another OUT says its format")
	case piped && JSON(cmd):
		return job.Usagef("standard output takes the series or the JSON, not both; leave --json out or give OUT a name")
	case piped && several:
		return job.Usagef("standard output takes one series; give OUT a name for several")
	case piped && isTerminal(p.Out):
		return job.Usagef("standard output is a terminal; send it to a file or to another program, or give OUT a name")
	}
	return nil
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// input replaces the name of a pipe by the name of a file with the same content.
func (p *pipes) input(ctx context.Context, place *string) (err error) {
	named, open := *place, func() (io.Reader, error) { return p.In, nil }
	if named == dash {
		named = "standard input"
	} else if info, err := os.Stat(named); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil //nolint:nilerr // what is missing is reported by its reader
	} else {
		open = func() (io.Reader, error) { return os.Open(named) }
	}
	dir, err := p.folder()
	if err != nil {
		return err
	}
	type kept struct {
		path string
		err  error
	}
	done, base := make(chan kept, 1), filepath.Join(dir, fmt.Sprint(len(p.names)))
	go func() { // a pipe may never be written to
		path, err := p.keep(open, named, base)
		done <- kept{path, err}
	}()
	select {
	case k := <-done:
		if k.err != nil {
			return k.err
		}
		p.names[k.path], *place = named, k.path
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// folder returns the folder of the files, which it makes if there is none.
func (p *pipes) folder() (string, error) {
	if p.dir == "" {
		dir, err := os.MkdirTemp("", "quell-pipe-")
		if err != nil {
			return "", err
		}
		p.dir, p.names = dir, map[string]string{}
	}
	return p.dir, nil
}

// keep writes what a pipe holds to a file, which gets the ending of its format. A stream that begins like no image is
// refused before more of it is read.
func (p *pipes) keep(open func() (io.Reader, error), named, path string) (string, error) {
	r, err := open()
	if err != nil {
		return "", job.Unreadable(err, named, func(string) string { return named })
	}
	if c, ok := r.(io.Closer); ok && r != p.In {
		defer c.Close()
	}
	head, err := files.ReadHead(r)
	if err != nil {
		return "", job.Unreadable(err, named, func(string) string { return named })
	}
	if len(head) == 0 {
		return "", &job.InputError{Path: named, Problem: message.New(message.InputEmpty, "is empty"), Advice: message.Text("check the command that writes it")}
	}
	f, _ := files.FormatBy(head, nil, "")
	if f == nil || !fitsPipe(f) {
		return "", &job.InputError{Path: named, Problem: message.New(message.InputForeign, "is not a %s file, and a pipe carries nothing else", files.Names(fitsPipe)), Advice: message.Text("give the file or the folder itself")}
	}
	ending := f.Inputs[len(f.Inputs)-1][0]
	for _, in := range f.Inputs { // compressed as a whole, or not; and one file rather than a header
		if in[0] == in[1] && strings.HasSuffix(in[0], ".gz") == bytes.HasPrefix(head, []byte("\x1f\x8b")) {
			ending = in[0]
		}
	}
	path += ending
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	n, err := io.Copy(file, io.LimitReader(io.MultiReader(bytes.NewReader(head), r), p.Limit+1))
	err = errors.Join(err, file.Close())
	switch {
	case err != nil:
		return "", fmt.Errorf("%s cannot be kept: %w; let TMPDIR name a folder with more space", named, err)
	case n > p.Limit:
		return "", &job.InputError{Path: named, Problem: message.New(message.InputTooLarge, "contains more than %s, which is the limit of a pipe", job.Bytes(p.Limit)), Advice: message.Text("write it to a file")}
	}
	return path, nil
}

// output replaces an OUT of "-" by a file in the format of --format or of the input.
func (p *pipes) output(cmd *cobra.Command, inputs []string, place *string) error {
	ending := cmd.Flags().Lookup("format").Value.String()
	if ending == "" && len(inputs) > 0 {
		_, of := files.SplitInput(inputs[0])
		ending = strings.TrimPrefix(of, ".")
	}
	if !slices.Contains(pipeEndings(), ending) {
		ending = "nii"
	}
	dir, err := p.folder()
	if err != nil {
		return err
	}
	p.made = filepath.Join(dir, "out."+ending)
	p.names[p.made], *place = "standard output", p.made
	return nil
}

// deliver copies the output of a command that succeeded to standard output, or sends it to a place. It deletes the file's name first: a closed
// standard output ends the process, and the file would remain.
func (p *pipes) deliver(cmd *cobra.Command) error {
	switch {
	case p.made == "":
		return nil
	case p.place != nil:
		return p.send(cmd)
	}
	file, err := os.Open(p.made)
	if err != nil {
		return err
	}
	defer file.Close()
	os.RemoveAll(p.dir)
	_, err = io.Copy(p.Out, file)
	return err
}

// renaming passes text on with pipes named as a person knows them. A path comes in one Write, as texts are formatted
// whole.
type renaming struct {
	p *pipes
	w io.Writer
}

func (r renaming) Write(text []byte) (int, error) {
	said := text
	for path, name := range r.p.names {
		said = bytes.ReplaceAll(said, []byte(clean.Text(path)), []byte(name))
	}
	if _, err := r.w.Write(said); err != nil {
		return 0, err
	}
	return len(text), nil
}
