// Package check decodes the examples for clusters with the types and the schema of Kubernetes and
// Compose. It is a module of its own, so that Quell does not depend on them: go test, here.
package check

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

// finished are the exit codes of a batch that has ended, though series of it failed.
var finished = []int32{1, 3}

// TestKubernetes: no field is unknown, no Job restarts what has ended, and who reaches the server
// has its token.
func TestKubernetes(t *testing.T) {
	jobs := 0
	for _, name := range []string{"kubernetes.yaml", "kubernetes-workers.yaml"} {
		data, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		for docs := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(data))); ; {
			doc := make([]byte, len(data))
			n, err := docs.Read(doc)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			doc = doc[:n]
			var kind struct{ APIVersion, Kind string }
			if err := strict.Unmarshal(doc, &kind); err != nil {
				t.Fatal(err)
			}
			var pod corev1.PodSpec
			switch kind.APIVersion + " " + kind.Kind {
			case "batch/v1 Job":
				var job batchv1.Job
				err = strict.UnmarshalStrict(doc, &job)
				pod = job.Spec.Template.Spec
				jobs++
				checkJob(t, name, job)
			case "apps/v1 Deployment":
				var d appsv1.Deployment
				err = strict.UnmarshalStrict(doc, &d)
				pod = d.Spec.Template.Spec
			case "v1 Service":
				var s corev1.Service
				err = strict.UnmarshalStrict(doc, &s)
			default:
				t.Errorf("%s: %+v is not checked", name, kind)
			}
			if err != nil {
				t.Errorf("%s: %s: %v", name, kind.Kind, err)
			}
			for _, c := range pod.Containers {
				// The image of make package holds one program, and no shell.
				if c.Image == "quell:latest" && (len(c.Command) == 0 || c.Command[0] != "quell" || len(c.Args) > 0) {
					t.Errorf("%s: %s runs %q %q", name, c.Name, c.Command, c.Args)
				}
				checkVariables(t, name, c)
				for _, arg := range append(c.Command, c.Args...) {
					if (arg == "--nats" || arg == "--jetstream") && (len(c.Env) == 0 || c.Env[0].Name != "QUELL_NATS_TOKEN" || c.Env[0].ValueFrom.SecretKeyRef == nil) {
						t.Errorf("%s: %s has no token", name, c.Name)
					}
				}
			}
		}
	}
	if jobs != 2 {
		t.Errorf("%d jobs", jobs)
	}
}

// variable is $(NAME), which Kubernetes replaces in a command.
var variable = regexp.MustCompile(`\$\((\w+)\)`)

// checkVariables: a command uses no variable that its container lacks, which Kubernetes would leave as it is.
func checkVariables(t *testing.T, name string, c corev1.Container) {
	t.Helper()
	has := func(v string) bool {
		return slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == v })
	}
	for _, arg := range append(c.Command, c.Args...) {
		for _, v := range variable.FindAllStringSubmatch(arg, -1) {
			if !has(v[1]) {
				t.Errorf("%s: %s has no variable %s", name, c.Name, v[1])
			}
		}
	}
}

// checkJob: a Job does not try again without end, nor what ended with failed series.
func checkJob(t *testing.T, name string, job batchv1.Job) {
	t.Helper()
	s := job.Spec
	if s.Template.Spec.RestartPolicy != corev1.RestartPolicyNever || s.BackoffLimit == nil && s.BackoffLimitPerIndex == nil || s.PodFailurePolicy == nil {
		t.Fatalf("%s: the Job restarts", name)
	}
	final := map[int32]bool{}
	for _, rule := range s.PodFailurePolicy.Rules {
		if rule.Action == batchv1.PodFailurePolicyActionFailIndex && s.BackoffLimitPerIndex == nil {
			t.Errorf("%s: FailIndex is for backoffLimitPerIndex", name)
		}
		if (rule.Action == batchv1.PodFailurePolicyActionFailIndex || rule.Action == batchv1.PodFailurePolicyActionFailJob) && rule.OnExitCodes != nil {
			for _, code := range rule.OnExitCodes.Values {
				final[code] = true
			}
		}
	}
	for _, code := range finished {
		if !final[code] {
			t.Errorf("%s: the Job tries again after exit code %d", name, code)
		}
	}
}

// TestCompose: the file fits the schema, asks for a token, and does not restart a batch that has
// ended.
func TestCompose(t *testing.T) {
	load := func(env ...string) error {
		o, err := cli.NewProjectOptions([]string{"../compose.yaml"}, cli.WithEnv(env), cli.WithName("quell"))
		if err != nil {
			return err
		}
		p, err := o.LoadProject(t.Context())
		if err != nil {
			return err
		}
		if s := p.Services["batch"]; s.Restart != "no" || s.Build == nil || s.Build.Dockerfile == "" {
			t.Errorf("the batch restarts %q and is built by %+v", s.Restart, s.Build)
		}
		if s := p.Services["worker"]; s.Restart == "always" || s.Restart == "on-failure" || s.Restart == "unless-stopped" {
			t.Errorf("a worker restarts without end: %q", s.Restart)
		}
		for _, name := range []string{"batch", "worker"} {
			s := p.Services[name]
			if token := s.Environment["QUELL_NATS_TOKEN"]; token == nil || *token != "secret" || s.DependsOn["nats"].Condition != "service_healthy" {
				t.Errorf("%s: token %v, %+v", name, token, s.DependsOn)
			}
		}
		return nil
	}
	if err := load("QUELL_NATS_TOKEN=secret"); err != nil {
		t.Error(err)
	}
	if load() == nil {
		t.Error("no token is asked for")
	}
}
