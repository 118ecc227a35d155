package judging

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"quell/app/files"
	"quell/app/job"
	"quell/app/study"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/measure/readers"
)

// Study is quell study.
func Study() command.Command {
	var imrmc string
	overwrite := new(bool)
	c := command.Command{
		Name:  "study KEY... ANSWERS...",
		Short: "Score readers who choose the square with a virtual lesion, before and after a filter",
		Long: `A reader study with a choice between two squares (two-alternative forced choice): one has a
virtual lesion in homogeneous tissue of the series itself, the other has none. Every place is shown as
it is and filtered. quell study make writes the page for readers, which any browser opens, and
the key.

Print the share of right answers of every reader, as the series is and filtered, and the
difference, with intervals of 95 %: over the cases, for that reader. Chance is 0.5. d' is
sqrt(2) times the normal quantile of the share. Keys end in .json, answers in .csv; several
studies are pooled. If a trial was answered twice the last answer counts. The workbench
makes the same files (menu Compare, Forced choice).

--imrmc writes a file for the FDA's iMRMC, which adds the spread of the readers: modality
1 is the series as it is, 2 filtered; the chosen square has the score 1, the other 0.`,
		Example: `  quell study make ct/ study.html --filter nlm --size 4 --contrast 2sigma
  quell study study.key.json answers-*.csv
  quell study a.key.json b.key.json answers/*.csv --imrmc study.imrmc`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return command.Exactly(2, "a key and answers")(cmd, args)
			}
			return nil
		},
		Commands: []command.Command{newStudyMake()},
		Inputs:   command.Every,
	}
	c.Flags = func(cmd *cobra.Command) {
		option.AddOutput(cmd.Flags(), &imrmc, "imrmc", files.IMRMCOutput, "also write this `file` for iMRMC")
		cmd.Flags().BoolVar(overwrite, "overwrite", false, "replace files that Quell did not write")
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		r, err := study.Read(args)
		if err != nil {
			return err
		}
		if imrmc != "" {
			if err := r.WriteIMRMC(imrmc, *overwrite); err != nil {
				return err
			}
		}
		scores := readers.Scores(r.Plans, r.Answers)
		return command.Print(cmd, scores, func(w io.Writer) { printScores(w, scores) })
	}
	return c
}

func newStudyMake() command.Command {
	var f lesionFlags
	overwrite := new(bool)
	c := command.Command{
		Name:  "make IN OUT.html --filter NAME|--preset NAME|--recipe FILE [parameters]",
		Short: "Write a page for readers, and the key that scores their answers",
		Long: `Put one virtual lesion at places of homogeneous tissue, filter each place with and without it, and
write a page on which a reader chooses the square that has it. Pairs, sides and order are drawn by
the seed; the squares of a pair are of different places. Answers stay in the browser, so that a
reader may go on later, and are saved as a file. The page shows squares of the series and no
names; it does not tell which side is right. That is in OUT.key.json, which readers do not need.`,
		Example: `  quell study make ct/ study.html --filter nlm --size 4 --contrast 10
  quell study make ct/ study.html --recipe denoised.json --size 4 --contrast 1.5sigma --places 120`,
		Args:   command.Exactly(2, "IN and OUT.html"),
		Inputs: command.Leading,
		Outputs: func(args []string) []command.Output {
			key := study.KeyPath(args[1])
			return append(command.Last(files.StudyOutput)(args), command.Output{Name: "OUT", Path: &key, Kind: files.StudyKeyOutput})
		},
	}
	c.Flags = func(cmd *cobra.Command) {
		f.addTo(cmd, option.FilterNames(), "")
		cmd.Flags().BoolVar(overwrite, "overwrite", false, "replace files that Quell did not write")
		f.recipe.Params = option.AddParams(cmd)
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		if len(f.sizes) != 1 || len(f.contrasts) != 1 {
			return job.Usagef("a study has one lesion; give one --size and one --contrast")
		}
		var j job.Job
		if err := f.recipe.Apply(&j); err != nil {
			return err
		}
		q, closeInput, err := f.request(cmd, j, args[0])
		if err != nil {
			return err
		}
		defer closeInput()
		k, err := study.Write(cmd.Context(), q, args[1], *overwrite)
		if err != nil {
			return err
		}
		return command.Tell(cmd, map[string]any{"pairs": len(k.Trials), "output": args[1], "key": study.KeyPath(args[1])},
			"%d pairs, half of them filtered by %s; written to %s, and the key to %s", len(k.Trials), k.Recipe, args[1], study.KeyPath(args[1]))
	}
	return c
}

// printScores prints a line for each reader.
func printScores(tw io.Writer, scores []readers.Score) {
	fmt.Fprintln(tw, "reader\tas it is\td'\tfiltered\td'\tdifference")
	share := func(s *readers.Share) string {
		if s == nil {
			return "-\t-"
		}
		return fmt.Sprintf("%.2f (%.2f to %.2f), %d of %d\t%.2f (%.2f to %.2f)",
			s.Value, s.Lo, s.Hi, s.Right, s.Of, s.Index.Value, s.Index.Lo, s.Index.Hi)
	}
	for _, s := range scores {
		difference := "-"
		if d := s.Difference; d != nil {
			difference = fmt.Sprintf("%+.2f (%+.2f to %+.2f)", d.Value, d.Lo, d.Hi)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", s.Reader, share(s.AsItIs), share(s.Filtered), difference)
	}
}
