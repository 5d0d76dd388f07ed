// Reads OpenAPI documents, a line of JSON each, with Kubernetes' own types for them, and prints what these write.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

type told struct {
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
		if err := out.Encode(tell(line)); err != nil {
			panic(err)
		}
	}
}

func tell(line []byte) told {
	document, err := read(line)
	if err != nil {
		return told{Error: err.Error()}
	}
	return told{Document: document}
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
