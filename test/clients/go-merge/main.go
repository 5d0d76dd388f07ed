// Reads a schema and then steps, a line of JSON each, and prints the result of structured-merge-diff for each step.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"sort"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

type owner struct {
	Fields  json.RawMessage `json:"fields"`
	Version string          `json:"version"`
	Applied bool            `json:"applied"`
}

type step struct {
	Op       string           `json:"op"`
	Type     string           `json:"type"`
	Manager  string           `json:"manager"`
	Version  string           `json:"version"`
	Force    bool             `json:"force"`
	Live     any              `json:"live"`
	Object   any              `json:"object"`
	Managers map[string]owner `json:"managers"`
}

type outcome struct {
	Result         any              `json:"result,omitempty"`
	ResultManagers map[string]owner `json:"resultManagers,omitempty"`
	Conflicts      []string         `json:"conflicts,omitempty"`
	Error          string           `json:"error,omitempty"`
}

// same converts between versions without changes.
type same struct{}

func (same) Convert(object *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	return object, nil
}

func (same) IsMissingVersionError(error) bool { return false }

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	schema, err := lines.ReadBytes('\n')
	if err != nil {
		panic(err)
	}
	parser, err := typed.NewParser(typed.YAMLObject(schema))
	if err != nil {
		panic(err)
	}
	updater := &merge.Updater{Converter: same{}}
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var s step
		if err := json.Unmarshal(line, &s); err != nil {
			panic(err)
		}
		if err := out.Encode(run(updater, parser, s)); err != nil {
			panic(err)
		}
	}
}

func run(updater *merge.Updater, parser *typed.Parser, s step) outcome {
	kind := parser.Type(s.Type)
	live, err := kind.FromUnstructured(s.Live, typed.AllowDuplicates)
	if err != nil {
		return outcome{Error: err.Error()}
	}
	managers := fieldpath.ManagedFields{}
	for name, o := range s.Managers {
		managers[name] = o.set()
	}
	version := fieldpath.APIVersion(s.Version)
	var result *typed.TypedValue
	if s.Op == "update" {
		object, err := kind.FromUnstructured(s.Object, typed.AllowDuplicates)
		if err != nil {
			return outcome{Error: err.Error()}
		}
		result, managers, err = updater.Update(live, object, version, managers, s.Manager)
		if err != nil {
			return failed(err)
		}
	} else {
		object, err := kind.FromUnstructured(s.Object)
		if err != nil {
			return outcome{Error: err.Error()}
		}
		result, managers, err = updater.Apply(live, object, version, managers, s.Manager, s.Force)
		if err != nil {
			return failed(err)
		}
		if result == nil {
			result = live
		}
	}
	out := outcome{Result: result.AsValue().Unstructured(), ResultManagers: map[string]owner{}}
	for name, set := range managers {
		fields, err := set.Set().ToJSON()
		if err != nil {
			panic(err)
		}
		out.ResultManagers[name] = owner{Fields: fields, Version: string(set.APIVersion()), Applied: set.Applied()}
	}
	return out
}

func (o owner) set() fieldpath.VersionedSet {
	set := fieldpath.NewSet()
	if err := set.FromJSON(bytes.NewReader(o.Fields)); err != nil {
		panic(err)
	}
	return fieldpath.NewVersionedSet(set, fieldpath.APIVersion(o.Version), o.Applied)
}

func failed(err error) outcome {
	conflicts, ok := err.(merge.Conflicts)
	if !ok {
		return outcome{Error: err.Error()}
	}
	out := outcome{}
	for _, conflict := range conflicts {
		out.Conflicts = append(out.Conflicts, conflict.Manager+" "+conflict.Path.String())
	}
	sort.Strings(out.Conflicts)
	return out
}
