package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func ask(t *testing.T, line string) answer {
	t.Helper()

	var r request
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		t.Fatal(err)
	}

	return answerTo(&r)
}

func built(t *testing.T, spec string) answer {
	t.Helper()

	a := ask(t, `{"do":"build","spec":`+spec+`}`)
	if a.Error != "" {
		t.Fatalf("%s: %s", a.Stage, a.Error)
	}

	request, err := json.Marshal(map[string]string{"do": "read", "config": a.Config})
	if err != nil {
		t.Fatal(err)
	}

	return ask(t, string(request))
}

const entry = `"strategicPatches":["machine: {network: {extraHostEntries: [{ip: 192.0.2.1, aliases: [a.example]}]}}"]`

func TestTheRestOfTwoBasesOfOneContractIsEqualWhateverIsOwned(t *testing.T) {
	bare := built(t, `{"generateType":"worker","talosVersion":"v1.9.5"}`)
	patched := built(t, `{"generateType":"worker","talosVersion":"v1.9.5",`+entry+`}`)

	if !reflect.DeepEqual(bare.Facts.Rest, patched.Facts.Rest) {
		t.Fatal("the owned parts are still in the rest, or the secrets differ")
	}

	if len(patched.Facts.Hosts) != 1 || patched.Facts.Hosts[0].IP != "192.0.2.1" {
		t.Fatalf("hosts: %+v", patched.Facts.Hosts)
	}
}

func TestTheRestTellsWhatIsNotOwned(t *testing.T) {
	bare := built(t, `{"generateType":"worker","talosVersion":"v1.9.5"}`)
	patched := built(t, `{"generateType":"worker","talosVersion":"v1.9.5","strategicPatches":["machine: {sysctls: {a.b: '1'}}"]}`)

	if reflect.DeepEqual(bare.Facts.Rest, patched.Facts.Rest) {
		t.Fatal("a sysctl is not in the rest")
	}
}

func TestAnUnknownKeyIsRefusedAtLoad(t *testing.T) {
	a := ask(t, `{"do":"read","config":"machine: {typo: 1}"}`)

	if a.Stage != "load" || !strings.Contains(a.Error, "typo") {
		t.Fatalf("%+v", a)
	}
}

func TestAPanicIsAnAnswer(t *testing.T) {
	a := ask(t, `{"do":"build","spec":{"generateType":"worker","talosVersion":"v1.9.5","strategicPatches":[
		"apiVersion: v1alpha1\nkind: VolumeConfig\nname: X\n$patch: delete\n"]}}`)

	if a.Error == "" {
		t.Fatal("deleting an absent document was accepted")
	}
}
