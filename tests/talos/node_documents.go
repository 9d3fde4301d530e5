//go:build documents

package main

import "github.com/siderolabs/talos/pkg/machinery/config"

const documentsKnown = true

// From machinery 1.12 on the container merges the registry and host documents over the v1alpha1 fields.
func collectRegistries(c config.Provider, f *facts) {
	for name, m := range c.RegistryMirrorConfigs() {
		f.addMirror(name, m)
	}

	for name, t := range c.RegistryTLSConfigs() {
		f.addTLS(name, t)
	}

	for name, a := range c.RegistryAuthConfigs() {
		f.addAuth(name, a)
	}

	for _, h := range c.NetworkStaticHostConfig() {
		f.Hosts = append(f.Hosts, host{h.IP(), h.Aliases()})
	}
}
