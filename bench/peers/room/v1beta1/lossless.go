package v1beta1

import (
	"encoding/json"
	"maps"

	"k8s.io/apimachinery/pkg/runtime"

	"antechamber.dev/bench/peers/room/v1"
)

// The annotation with the whole hub object but its metadata: the usual way, as of Cluster API's util/conversion.
const annotation = "home.antechamber.dev/conversion-data"

func keep(hub *v1.Room, r *Room) error {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(hub)
	if err != nil {
		return err
	}
	delete(content, "metadata")
	data, err := json.Marshal(content)
	if err != nil {
		return err
	}
	annotations := make(map[string]string, len(r.Annotations)+1)
	maps.Copy(annotations, r.Annotations)
	annotations[annotation] = string(data)
	r.Annotations = annotations
	return nil
}

func takeKept(r *Room) (*v1.Room, error) {
	data, found := r.Annotations[annotation]
	if !found {
		return nil, nil
	}
	delete(r.Annotations, annotation)
	kept := &v1.Room{}
	return kept, json.Unmarshal([]byte(data), kept)
}

// putBack restores what v1beta1 does not have, and what it shows of many as one unless the client changed it.
func putBack(kept *v1.Room, r *Room, to *v1.Room) {
	sameBrightness := same(r.Spec.Brightness, brightnessOfAll(kept.Spec.Lights))
	lights := make(map[string]v1.Light, len(kept.Spec.Lights))
	for _, light := range kept.Spec.Lights {
		lights[light.Name] = light
	}
	for i := range to.Spec.Lights {
		light := &to.Spec.Lights[i]
		before, known := lights[light.Name]
		if !known {
			continue
		}
		light.Color, light.Transition = before.Color, before.Transition
		if sameBrightness {
			light.Brightness = before.Brightness
		}
	}
	if same(r.Spec.LockDoors, lockedAll(kept.Spec.Locks)) {
		states := make(map[string]string, len(kept.Spec.Locks))
		for _, lock := range kept.Spec.Locks {
			states[lock.Name] = lock.State
		}
		for i := range to.Spec.Locks {
			if state, known := states[to.Spec.Locks[i].Name]; known {
				to.Spec.Locks[i].State = state
			}
		}
	}
	if kept.Spec.Climate != nil {
		if to.Spec.Climate == nil {
			to.Spec.Climate = &v1.Climate{}
		}
		to.Spec.Climate.Mode = kept.Spec.Climate.Mode
	}
	if kept.Spec.Location != nil {
		if to.Spec.Location == nil {
			to.Spec.Location = &v1.Location{}
		}
		to.Spec.Location.Building = kept.Spec.Location.Building
	}
	to.Spec.Accessories, to.Status.Lights = kept.Spec.Accessories, kept.Status.Lights
}

func same[T comparable](one, other *T) bool {
	if one == nil || other == nil {
		return one == other
	}
	return *one == *other
}
