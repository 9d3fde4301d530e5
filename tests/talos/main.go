// Command oracle answers what Talos' own code makes of a patch-bearing spec. It is linked against one release of Talos'
// machinery library and stands for the bootstrap provider, or for the nodes, of that release.
//
// One JSON request a line on stdin, one JSON answer a line on stdout:
//
//	{"do":"build","spec":{generateType,talosVersion,data,configPatches,strategicPatches,hostname:{source}}}
//	  what the provider of this release writes into the machine's bootstrap data
//	{"do":"read","config":"…YAML…"}
//	  what a node of this release makes of it: in which modes it is valid, and what it would act on
//	{"do":"patch","config":"…YAML…","patches":["…"]}
//	  what `talosctl patch` of this release does to a live config
//	{"do":"kind","kind":"RegistryTLSConfig"}
//	  whether this release loads documents of that kind
//
// It keeps no state but the secrets bundle of each contract, so two bases of one process differ only by their specs.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type request struct {
	Do      string   `json:"do"`
	Spec    spec     `json:"spec"`
	Config  string   `json:"config"`
	Patches []string `json:"patches"`
	Kind    string   `json:"kind"`
}

type answer struct {
	// Base is the config before any patch, Config the one after all of them.
	Base   string `json:"base,omitempty"`
	Config string `json:"config,omitempty"`
	// Stage is where it failed: request, base, json, strategic, load, panic.
	Stage string `json:"stage,omitempty"`
	Error string `json:"error,omitempty"`
	// Refused holds the error of every mode that the config is not valid in; "cloud strict" takes warnings for errors.
	Refused map[string]string `json:"refused,omitempty"`
	Facts   *facts            `json:"facts,omitempty"`
	Known   bool              `json:"known,omitempty"`
}

// failure is an error and the stage that it came from.
type failure struct {
	stage string
	err   error
}

func fail(stage string, err error) *failure { return &failure{stage, err} }

func answerTo(r *request) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			// The provider recovers, a node's controller restarts for ever: for the caller both are a refusal.
			a = answer{Stage: "panic", Error: fmt.Sprint(p)}
		}
	}()

	var f *failure

	switch r.Do {
	case "build":
		f = build(&r.Spec, &a)
	case "read":
		f = read(r.Config, &a)
	case "patch":
		a.Config, f = strategic(r.Config, r.Patches)
	case "kind":
		a.Known = loads(r.Kind)
	default:
		f = fail("request", fmt.Errorf("unknown request %q", r.Do))
	}

	if f != nil {
		a.Stage, a.Error = f.stage, f.err.Error()
	}

	return a
}

func main() {
	in := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)

	for in.More() {
		var r request
		if err := in.Decode(&r); err != nil {
			fmt.Fprintln(os.Stderr, "bad request:", err)
			os.Exit(2)
		}

		if err := out.Encode(answerTo(&r)); err != nil {
			os.Exit(1)
		}
	}
}
