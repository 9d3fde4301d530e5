//go:build !documents

package main

import "github.com/siderolabs/talos/pkg/machinery/config"

const documentsKnown = false

// Up to machinery 1.11 the v1alpha1 fields are all there is.
func collectRegistries(c config.Provider, f *facts) {
	m := c.Machine()
	if m == nil {
		return
	}

	for name, mirror := range m.Registries().Mirrors() {
		f.addMirror(name, mirror)
	}

	for name, r := range m.Registries().Config() {
		if t := r.TLS(); t != nil {
			f.addTLS(name, t)
		}

		if a := r.Auth(); a != nil {
			f.addAuth(name, a)
		}
	}

	for _, h := range m.Network().ExtraHosts() {
		f.Hosts = append(f.Hosts, host{h.IP(), h.Aliases()})
	}
}
