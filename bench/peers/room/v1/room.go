// Package v1 has the hub version of Room, as a user of kubebuilder writes it.
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var GroupVersion = schema.GroupVersion{Group: "home.antechamber.dev", Version: "v1"}

type Room struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              RoomSpec   `json:"spec,omitempty"`
	Status            RoomStatus `json:"status,omitempty"`
}

type RoomSpec struct {
	Lights   []Light   `json:"lights,omitempty"`
	Locks    []Lock    `json:"locks,omitempty"`
	Climate  *Climate  `json:"climate,omitempty"`
	Location *Location `json:"location,omitempty"`
	// Its schema preserves unknown fields.
	Accessories []runtime.RawExtension `json:"accessories,omitempty"`
}

type Light struct {
	Name       string   `json:"name"`
	Brightness *float64 `json:"brightness,omitempty"`
	Color      *Color   `json:"color,omitempty"`
	Transition string   `json:"transition,omitempty"`
}

type Color struct {
	Kelvin *int32 `json:"kelvin,omitempty"`
	RGB    string `json:"rgb,omitempty"`
}

type Lock struct {
	Name  string `json:"name"`
	State string `json:"state,omitempty"`
}

type Climate struct {
	TargetCelsius *float64 `json:"targetCelsius,omitempty"`
	Mode          string   `json:"mode,omitempty"`
}

type Location struct {
	Floor    *int32 `json:"floor,omitempty"`
	Building string `json:"building,omitempty"`
}

type RoomStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
	Lights             []LightStatus      `json:"lights,omitempty"`
}

type LightStatus struct {
	Name              string   `json:"name"`
	CurrentBrightness *float64 `json:"currentBrightness,omitempty"`
}

// Hub marks the version that all others convert through.
func (*Room) Hub() {}

// DeepCopyObject copies the struct alone: nothing here changes what it refers to.
func (r *Room) DeepCopyObject() runtime.Object {
	copied := *r
	return &copied
}
