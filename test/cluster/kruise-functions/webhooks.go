package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"sigs.k8s.io/controller-runtime/pkg/conversion"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/evanphx/json-patch/v5"
	broadcastjobmutating "github.com/openkruise/kruise/pkg/webhook/broadcastjob/mutating"
	broadcastjobvalidating "github.com/openkruise/kruise/pkg/webhook/broadcastjob/validating"
	statefulsetmutating "github.com/openkruise/kruise/pkg/webhook/statefulset/mutating"
	statefulsetvalidating "github.com/openkruise/kruise/pkg/webhook/statefulset/validating"
)

func read(asked question) answer {
	object, err := scheme.New(kindOf(asked.Object))
	if err != nil {
		return answer{Message: err.Error()}
	}
	if err := json.Unmarshal(asked.Object, object); err != nil {
		return answer{Message: err.Error()}
	}
	return answer{Allowed: true, Object: text(object)}
}

// convert answers as controller-runtime's conversion webhook does: from a spoke to the hub, or from the hub to a spoke.
func convert(asked question) answer {
	kind := kindOf(asked.Object)
	from, err := scheme.New(kind)
	if err != nil {
		return answer{Message: err.Error()}
	}
	to, err := scheme.New(kind.GroupKind().WithVersion(asked.To))
	if err != nil {
		return answer{Message: err.Error()}
	}
	if err := json.Unmarshal(asked.Object, from); err != nil {
		return answer{Message: err.Error()}
	}
	if hub, ok := from.(conversion.Hub); ok {
		err = to.(conversion.Convertible).ConvertFrom(hub)
	} else {
		err = from.(conversion.Convertible).ConvertTo(to.(conversion.Hub))
	}
	if err != nil {
		return answer{Message: err.Error()}
	}
	to.GetObjectKind().SetGroupVersionKind(kind.GroupKind().WithVersion(asked.To))
	return answer{Allowed: true, Object: text(to)}
}

func mutate(asked question) answer {
	decoder := admission.NewDecoder(scheme)
	handlers := map[string]admission.Handler{
		"StatefulSet":  &statefulsetmutating.StatefulSetCreateUpdateHandler{Decoder: decoder},
		"BroadcastJob": &broadcastjobmutating.BroadcastJobCreateUpdateHandler{Decoder: decoder},
	}
	response := handlers[kindOf(asked.Object).Kind].Handle(context.Background(), requestOf(asked))
	found := verdictOf(response)
	found.Object = asked.Object
	if len(response.Patches) > 0 {
		patch, err := jsonpatch.DecodePatch(text(response.Patches))
		if err != nil {
			log.Fatal(err)
		}
		if found.Object, err = patch.Apply(asked.Object); err != nil {
			log.Fatal(err)
		}
	}
	return found
}

func validate(asked question) answer {
	decoder := admission.NewDecoder(scheme)
	handlers := map[string]admission.Handler{
		"StatefulSet":  &statefulsetvalidating.StatefulSetCreateUpdateHandler{Decoder: decoder},
		"BroadcastJob": &broadcastjobvalidating.BroadcastJobCreateUpdateHandler{Decoder: decoder},
	}
	found := verdictOf(handlers[kindOf(asked.Object).Kind].Handle(context.Background(), requestOf(asked)))
	if found.Code == 422 || (found.Code == 500 && !found.Allowed) {
		found.Errors = faultsOf(asked)
	}
	return found
}

func verdictOf(response admission.Response) answer {
	found := answer{Allowed: response.Allowed}
	if response.Result != nil {
		found.Code = response.Result.Code
		found.Message = response.Result.Message
	}
	return found
}

func text(value any) []byte {
	found, err := json.Marshal(value)
	if err != nil {
		log.Fatal(fmt.Errorf("cannot be written: %w", err))
	}
	return found
}
