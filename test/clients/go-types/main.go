// Reads objects in Protobuf, a line of base64 each, into the published types of Kubernetes, and prints them in JSON and
// in Protobuf.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type output struct {
	JSON     json.RawMessage `json:"json,omitempty"`
	Protobuf string          `json:"protobuf,omitempty"`
	Error    string          `json:"error,omitempty"`
}

func main() {
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		scheme.AddToScheme, apiextensions.AddToScheme, apiregistration.AddToScheme,
	} {
		if err := add(known); err != nil {
			panic(err)
		}
	}
	binary := protobuf.NewSerializer(known, known)
	text := jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, known, known,
		jsonserializer.SerializerOptions{})
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		if err := out.Encode(convert(binary, text, strings.TrimSpace(line))); err != nil {
			panic(err)
		}
	}
}

func convert(binary, text runtime.Serializer, line string) output {
	bytes, err := base64.StdEncoding.DecodeString(line)
	if err != nil {
		return output{Error: err.Error()}
	}
	object, kind, err := binary.Decode(bytes, nil, nil)
	if err != nil {
		return output{Error: err.Error()}
	}
	object.GetObjectKind().SetGroupVersionKind(*kind)
	shown, err := runtime.Encode(text, object)
	if err != nil {
		return output{Error: err.Error()}
	}
	again, err := runtime.Encode(binary, object)
	if err != nil {
		return output{Error: err.Error()}
	}
	return output{JSON: shown, Protobuf: base64.StdEncoding.EncodeToString(again)}
}
