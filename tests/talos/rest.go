package main

import (
	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/encoder"
	"gopkg.in/yaml.v3"
)

// ownedKinds are the documents that the facts tell in full.
var ownedKinds = map[string]bool{
	"RegistryMirrorConfig": true, "RegistryTLSConfig": true, "RegistryAuthConfig": true, "StaticHostConfig": true,
}

// rest is every document without the owned parts. The typed values are encoded anew, so that it tells what the machine
// sees and not how it was written; a parent that is empty without its owned part is as good as absent.
func rest(c config.Provider) ([]any, error) {
	out := []any{}

	for _, d := range c.Documents() {
		if ownedKinds[d.Kind()] {
			continue
		}

		raw, err := encoder.NewEncoder(d, encoder.WithComments(encoder.CommentsDisabled)).Encode()
		if err != nil {
			return nil, err
		}

		var tree map[string]any
		if err := yaml.Unmarshal(raw, &tree); err != nil {
			return nil, err
		}

		if m, ok := tree["machine"].(map[string]any); ok {
			delete(m, "registries")
			without(m, "network", "extraHostEntries")
			without(m, "install", "image")
		}

		out = append(out, tree)
	}

	return out, nil
}

func without(m map[string]any, parent, key string) {
	p, ok := m[parent].(map[string]any)
	if !ok {
		if m[parent] == nil {
			delete(m, parent)
		}

		return
	}

	delete(p, key)

	if len(p) == 0 {
		delete(m, parent)
	}
}
