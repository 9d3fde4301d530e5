package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	jsonpatch "github.com/evanphx/json-patch"
	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/configloader"
	"github.com/siderolabs/talos/pkg/machinery/config/configpatcher"
	"github.com/siderolabs/talos/pkg/machinery/config/encoder"
	"github.com/siderolabs/talos/pkg/machinery/config/generate"
	"github.com/siderolabs/talos/pkg/machinery/config/generate/secrets"
	"github.com/siderolabs/talos/pkg/machinery/config/machine"
	"github.com/siderolabs/talos/pkg/machinery/config/types/v1alpha1"
	"github.com/siderolabs/talos/pkg/machinery/constants"
)

// spec is a TalosConfigSpec, as far as it decides what the provider builds.
type spec struct {
	GenerateType     string      `json:"generateType"`
	TalosVersion     string      `json:"talosVersion"`
	Data             string      `json:"data"`
	ConfigPatches    []jsonPatch `json:"configPatches"`
	StrategicPatches []string    `json:"strategicPatches"`
	Hostname         struct {
		Source string `json:"source"`
	} `json:"hostname"`
}

// jsonPatch has no `from`: the CRD has none, and structural pruning drops it.
type jsonPatch struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value"`
}

var plain = encoder.WithComments(encoder.CommentsDisabled)

// build is the provider's reconcileGenerate: the base, then all configPatches, then all strategicPatches.
func build(s *spec, a *answer) *failure {
	base, err := baseOf(s)
	if err != nil {
		return fail("base", err)
	}

	a.Base = base

	patched, f := sixNineOhTwo(base, s.ConfigPatches)
	if f != nil {
		return f
	}

	patches := s.StrategicPatches
	if s.Hostname.Source != "" && hostnameDocument(s.TalosVersion) {
		patches = append(patches[:len(patches):len(patches)],
			"apiVersion: v1alpha1\nkind: HostnameConfig\nauto: off\nhostname: oracle-host\n")
	}

	if len(patches) > 0 {
		if patched, f = strategic(patched, patches); f != nil {
			return f
		}
	}

	a.Config = patched

	return nil
}

func baseOf(s *spec) (string, error) {
	if s.GenerateType == "none" {
		if s.Data == "" {
			return "", errors.New("failed to specify config data with none generate type")
		}

		c, err := configloader.NewFromBytes([]byte(s.Data))
		if err != nil {
			return "", err
		}

		return c.EncodeString(plain)
	}

	kind, _ := machine.ParseType(s.GenerateType) //nolint:errcheck // an unknown type is said below, in the provider's words
	if kind == machine.TypeUnknown {
		return "", fmt.Errorf("unknown generate type specified: %q", s.GenerateType)
	}

	contract := config.TalosVersionCurrent

	if s.TalosVersion != "" {
		var err error
		if contract, err = config.ParseContractFromVersion(s.TalosVersion); err != nil {
			return "", fmt.Errorf("invalid talos-version: %w", err)
		}
	}

	bundle, err := bundleOf(contract)
	if err != nil {
		return "", err
	}

	in, err := generate.NewInput("oracle", "https://192.0.2.1:6443", constants.DefaultKubernetesVersion,
		generate.WithDNSDomain("cluster.local"), generate.WithVersionContract(contract), generate.WithSecretsBundle(bundle))
	if err != nil {
		return "", err
	}

	c, err := in.Config(kind)
	if err != nil {
		return "", err
	}

	if s.Hostname.Source != "" {
		m := c.RawV1Alpha1().MachineConfig
		if m.MachineNetwork == nil {
			m.MachineNetwork = &v1alpha1.NetworkConfig{}
		}

		if !hostnameDocument(s.TalosVersion) {
			m.MachineNetwork.NetworkHostname = "oracle-host"
		}
	}

	return c.EncodeString(plain)
}

// The hostname code reads the version for itself: unset means the legacy field, on every release.
func hostnameDocument(version string) bool {
	var major, minor int
	if n, _ := fmt.Sscanf(strings.TrimPrefix(version, "v"), "%d.%d", &major, &minor); n != 2 { //nolint:errcheck // n says it
		return false
	}

	return documentsKnown && (major > 1 || minor >= 12)
}

var bundles = map[string]*secrets.Bundle{}

// bundleOf gives the same secrets for the same contract: generating keys is the slow part, and what stood before and
// after hydration is compared as a whole.
func bundleOf(contract *config.VersionContract) (*secrets.Bundle, error) {
	key := contract.String()
	if b, ok := bundles[key]; ok {
		return b, nil
	}

	b, err := secrets.NewBundle(secrets.NewFixedClock(time.Now()), contract)
	if err == nil {
		bundles[key] = b
	}

	return b, err
}

// sixNineOhTwo applies all operations as one patch. The result is not parsed: the provider does not either.
func sixNineOhTwo(in string, patches []jsonPatch) (string, *failure) {
	if len(patches) == 0 {
		return in, nil
	}

	for i := range patches {
		if patches[i].Value == nil {
			patches[i].Value = json.RawMessage("null")
		}
	}

	raw, err := json.Marshal(patches)
	if err != nil {
		return "", fail("json", err)
	}

	patch, err := jsonpatch.DecodePatch(raw)
	if err != nil {
		return "", fail("json", err)
	}

	out, err := configpatcher.JSON6902([]byte(in), patch)
	if err != nil {
		return "", fail("json", err)
	}

	return string(out), nil
}

func strategic(in string, patches []string) (string, *failure) {
	list := make([]configpatcher.Patch, 0, len(patches))

	for _, p := range patches {
		patch, err := configpatcher.LoadPatch([]byte(p))
		if err != nil {
			return "", fail("strategic", fmt.Errorf("failure loading StrategicPatch: %w", err))
		}

		list = append(list, patch)
	}

	out, err := configpatcher.Apply(configpatcher.WithBytes([]byte(in)), list)
	if err != nil {
		return "", fail("strategic", fmt.Errorf("failure applying StrategicPatches: %w", err))
	}

	c, err := out.Config()
	if err != nil {
		return "", fail("strategic", err)
	}

	s, err := c.EncodeString(plain)
	if err != nil {
		return "", fail("strategic", err)
	}

	return s, nil
}
