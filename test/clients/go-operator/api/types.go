// Package api has the types from which the definition of Greetings is generated.
// +kubebuilder:object:generate=true
// +groupName=hello.example.com
// +versionName=v1
package api

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

// GreetingSpec is the desired state.
// +kubebuilder:validation:XValidation:rule="self.times <= 3 || self.text.size() < 10",message="long texts are said three times at most"
type GreetingSpec struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Text string `json:"text"`
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +optional
	Times int32 `json:"times,omitempty"`
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Guests []Guest `json:"guests,omitempty"`
}

// Guest is greeted by name.
type Guest struct {
	Name string `json:"name"`
	// +kubebuilder:validation:Enum=Mr;Ms;Dr
	// +optional
	Title string `json:"title,omitempty"`
}

// GreetingStatus is the observed state.
type GreetingStatus struct {
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	Times              int32 `json:"times,omitempty"`
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Greeting is a text for all guests.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.times,statuspath=.status.times
// +kubebuilder:printcolumn:name="Text",type=string,JSONPath=`.spec.text`
// +kubebuilder:selectablefield:JSONPath=`.spec.text`
type Greeting struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   GreetingSpec   `json:"spec"`
	Status GreetingStatus `json:"status,omitempty"`
}

// GreetingList is a list of them.
// +kubebuilder:object:root=true
type GreetingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Greeting `json:"items"`
}

var builder = &scheme.Builder{GroupVersion: schema.GroupVersion{Group: "hello.example.com", Version: "v1"}}

// AddToScheme makes the types known to clients.
var AddToScheme = builder.AddToScheme

func init() {
	builder.Register(&Greeting{}, &GreetingList{})
}
