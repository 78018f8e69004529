// Package v1beta1 has an older version of Room and its conversion, as a user of kubebuilder writes them.
package v1beta1

import (
	"math"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"antechamber.dev/bench/peers/room/v1"
)

var GroupVersion = schema.GroupVersion{Group: "home.antechamber.dev", Version: "v1beta1"}

// Lossless is set before the first conversion.
var Lossless bool

type Room struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              RoomSpec   `json:"spec,omitempty"`
	Status            RoomStatus `json:"status,omitempty"`
}

type RoomSpec struct {
	Lights      []string            `json:"lights,omitempty"`
	Brightness  *intstr.IntOrString `json:"brightness,omitempty"`
	Doors       []string            `json:"doors,omitempty"`
	LockDoors   *bool               `json:"lockDoors,omitempty"`
	Temperature string              `json:"temperature,omitempty"`
	Floor       *int32              `json:"floor,omitempty"`
	Owner       string              `json:"owner,omitempty"`
}

type RoomStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
	Phase              string             `json:"phase,omitempty"`
}

// DeepCopyObject copies the struct alone: nothing here changes what it refers to.
func (r *Room) DeepCopyObject() runtime.Object {
	copied := *r
	return &copied
}

// ConvertFrom makes this version of the hub's object.
func (r *Room) ConvertFrom(hub conversion.Hub) error {
	from := hub.(*v1.Room)
	r.ObjectMeta = from.ObjectMeta
	for _, light := range from.Spec.Lights {
		r.Spec.Lights = append(r.Spec.Lights, light.Name)
	}
	for _, lock := range from.Spec.Locks {
		r.Spec.Doors = append(r.Spec.Doors, lock.Name)
	}
	r.Spec.Brightness, r.Spec.LockDoors = brightnessOfAll(from.Spec.Lights), lockedAll(from.Spec.Locks)
	if climate := from.Spec.Climate; climate != nil && climate.TargetCelsius != nil {
		r.Spec.Temperature = strconv.FormatFloat(*climate.TargetCelsius, 'f', -1, 64) + "C"
	}
	if from.Spec.Location != nil {
		r.Spec.Floor = from.Spec.Location.Floor
	}
	r.Status.ObservedGeneration, r.Status.Conditions = from.Status.ObservedGeneration, from.Status.Conditions
	if Lossless {
		return keep(from, r)
	}
	return nil
}

// ConvertTo makes the hub's object of this version.
func (r *Room) ConvertTo(hub conversion.Hub) error {
	to := hub.(*v1.Room)
	var kept *v1.Room
	if Lossless {
		var err error
		if kept, err = takeKept(r); err != nil {
			return err
		}
	}
	to.ObjectMeta = r.ObjectMeta
	for _, name := range r.Spec.Lights {
		to.Spec.Lights = append(to.Spec.Lights, v1.Light{Name: name, Brightness: fractionOf(r.Spec.Brightness)})
	}
	for _, name := range r.Spec.Doors {
		to.Spec.Locks = append(to.Spec.Locks, v1.Lock{Name: name, State: stateOf(r.Spec.LockDoors)})
	}
	if celsius := celsiusOf(r.Spec.Temperature); celsius != nil {
		to.Spec.Climate = &v1.Climate{TargetCelsius: celsius}
	}
	if r.Spec.Floor != nil {
		to.Spec.Location = &v1.Location{Floor: r.Spec.Floor}
	}
	to.Status.ObservedGeneration, to.Status.Conditions = r.Status.ObservedGeneration, r.Status.Conditions
	if kept != nil {
		putBack(kept, r, to)
	}
	return nil
}

// brightnessOfAll is the brightness that all lights share, in percent.
func brightnessOfAll(lights []v1.Light) *intstr.IntOrString {
	for _, light := range lights {
		if light.Brightness == nil || *light.Brightness != *lights[0].Brightness {
			return nil
		}
	}
	if len(lights) == 0 {
		return nil
	}
	percent := intstr.FromInt32(int32(math.Round(*lights[0].Brightness * 100)))
	return &percent
}

// lockedAll is whether all locks are locked, if they agree.
func lockedAll(locks []v1.Lock) *bool {
	for _, lock := range locks {
		if lock.State == "" || lock.State != locks[0].State {
			return nil
		}
	}
	if len(locks) == 0 {
		return nil
	}
	locked := locks[0].State == "Locked"
	return &locked
}

func fractionOf(percent *intstr.IntOrString) *float64 {
	if percent == nil {
		return nil
	}
	number, err := strconv.ParseFloat(strings.TrimSuffix(percent.String(), "%"), 64)
	if err != nil {
		return nil
	}
	number /= 100
	return &number
}

func stateOf(locked *bool) string {
	if locked == nil {
		return ""
	}
	if *locked {
		return "Locked"
	}
	return "Unlocked"
}

func celsiusOf(temperature string) *float64 {
	if temperature == "" {
		return nil
	}
	last := len(temperature) - 1
	degrees, err := strconv.ParseFloat(temperature[:last], 64)
	if err != nil {
		return nil
	}
	if temperature[last] == 'F' {
		degrees = (degrees - 32) / 1.8
	}
	return &degrees
}
