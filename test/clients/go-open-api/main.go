// Reads OpenAPI documents, a line of JSON each, into the types of Kubernetes, and prints them again from these types.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

type output struct {
	Document any    `json:"document,omitempty"`
	Error    string `json:"error,omitempty"`
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		if err := out.Encode(convert(line)); err != nil {
			panic(err)
		}
	}
}

func convert(line []byte) output {
	document, err := read(line)
	if err != nil {
		return output{Error: err.Error()}
	}
	return output{Document: document}
}

func read(line []byte) (any, error) {
	version := struct {
		Swagger string `json:"swagger"`
	}{}
	if err := json.Unmarshal(line, &version); err != nil {
		return nil, err
	}
	if version.Swagger != "" {
		document := spec.Swagger{}
		return &document, json.Unmarshal(line, &document)
	}
	document := spec3.OpenAPI{}
	return &document, json.Unmarshal(line, &document)
}
