package main

import (
	"reflect"
	"strings"

	machinery "github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/config"
	"github.com/siderolabs/talos/pkg/machinery/config/configloader"
)

// facts are what the node would act on, whichever form carried them, and everything else as it stands.
type facts struct {
	Mirrors map[string]mirror `json:"mirrors"`
	TLS     map[string]tls    `json:"tls"`
	Auth    map[string]auth   `json:"auth"`
	Hosts   []host            `json:"hosts"`
	Image   string            `json:"installImage"`
	// Rest is every document in its order, without the parts that the facts above tell.
	Rest []any `json:"rest"`
}

type mirror struct {
	Endpoints    []endpoint `json:"endpoints"`
	SkipFallback bool       `json:"skipFallback"`
}

type endpoint struct {
	URL          string `json:"url"`
	OverridePath bool   `json:"overridePath"`
}

type tls struct {
	CA       string `json:"ca"`
	Insecure bool   `json:"insecureSkipVerify"`
	Crt      string `json:"crt"`
	Key      string `json:"key"`
}

type auth struct {
	Username      string `json:"username"`
	Password      string `json:"password"`
	Auth          string `json:"auth"`
	IdentityToken string `json:"identityToken"`
}

type host struct {
	IP      string   `json:"ip"`
	Aliases []string `json:"aliases"`
}

type mode string

func (m mode) String() string        { return string(m) }
func (m mode) RequiresInstall() bool { return m == "metal" }
func (m mode) InContainer() bool     { return m == "container" }

// read is what a node does with its bootstrap data before it acts: load (strict about keys and kinds), validate, ask.
func read(text string, a *answer) *failure {
	c, err := configloader.NewFromBytes([]byte(text))
	if err != nil {
		return fail("load", err)
	}

	a.Refused = map[string]string{}

	for _, m := range []mode{"cloud", "metal", "container"} {
		// Strict validation is the same with its warnings taken for errors.
		said, err := c.Validate(m)
		if err != nil {
			a.Refused[m.String()] = err.Error()
			said = append(said, err.Error())
		}

		if len(said) > 0 {
			a.Refused[m.String()+" strict"] = strings.Join(said, "; ")
		}
	}

	f, err := collect(c)
	if err != nil {
		return fail("load", err)
	}

	a.Facts = f

	return nil
}

func collect(c machinery.Provider) (*facts, error) {
	f := &facts{Mirrors: map[string]mirror{}, TLS: map[string]tls{}, Auth: map[string]auth{}, Hosts: []host{}}
	collectRegistries(c, f)

	if m := c.Machine(); m != nil && m.Install() != nil {
		f.Image = m.Install().Image()
	}

	var err error
	f.Rest, err = rest(c)

	return f, err
}

// The accessors are all called, because the node's controllers call them: one of 1.12.0 panics.
func (f *facts) addTLS(name string, t config.RegistryTLSConfig) {
	got := tls{CA: string(t.CA()), Insecure: t.InsecureSkipVerify()}
	if id := t.ClientIdentity(); id != nil {
		got.Crt, got.Key = string(id.Crt), string(id.Key)
	}

	f.TLS[name] = got
}

func (f *facts) addAuth(name string, a config.RegistryAuthConfig) {
	f.Auth[name] = auth{a.Username(), a.Password(), a.Auth(), a.IdentityToken()}
}

func (f *facts) addMirror(name string, m config.RegistryMirrorConfig) {
	f.Mirrors[name] = mirror{endpoints(m), m.SkipFallback()}
}

// endpoints reads a mirror's list, which up to machinery 1.9 is []string with one OverridePath beside it.
func endpoints(m config.RegistryMirrorConfig) []endpoint {
	whole, _ := any(m).(interface{ OverridePath() bool })
	list := reflect.ValueOf(m).MethodByName("Endpoints").Call(nil)[0]
	out := make([]endpoint, 0, list.Len())

	for i := range list.Len() {
		switch e := list.Index(i).Interface().(type) {
		case string:
			out = append(out, endpoint{e, whole != nil && whole.OverridePath()})
		case interface {
			Endpoint() string
			OverridePath() bool
		}:
			out = append(out, endpoint{e.Endpoint(), e.OverridePath()})
		}
	}

	return out
}

// loads asks the loader, which alone can reach the registry of kinds.
func loads(kind string) bool {
	_, err := configloader.NewFromBytes([]byte("apiVersion: v1alpha1\nkind: " + kind + "\n"))

	return err == nil || !strings.Contains(err.Error(), "not registered")
}
