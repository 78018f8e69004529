// Package knative answers conversion reviews as knative.dev/pkg's conversion controller does, which itself cannot run without a
// cluster: in, hub, out, defaults.
package knative

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"knative.dev/pkg/apis"
	"knative.dev/pkg/webhook/resourcesemantics/conversion"
)

// Kind is an empty object of each version of a kind; all conversions go through the hub.
type Kind struct {
	Hub      string
	Versions map[string]conversion.ConvertibleObject
}

// Handler answers reviews of kinds, by name, in a context.
func Handler(ctx context.Context, kinds map[string]Kind) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review apiextensions.ConversionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
			http.Error(w, "no conversion review", http.StatusBadRequest)
			return
		}
		result := metav1.Status{Status: metav1.StatusSuccess}
		response := &apiextensions.ConversionResponse{UID: review.Request.UID, Result: result}
		for _, object := range review.Request.Objects {
			raw, err := convert(ctx, kinds, object.Raw, review.Request.DesiredAPIVersion)
			if err != nil {
				response.Result = metav1.Status{Status: metav1.StatusFailure, Message: err.Error()}
				break
			}
			response.ConvertedObjects = append(response.ConvertedObjects, runtime.RawExtension{Raw: raw})
		}
		review.Request, review.Response = nil, response
		if err := json.NewEncoder(w).Encode(review); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
}

func convert(ctx context.Context, kinds map[string]Kind, raw []byte, to string) ([]byte, error) {
	var meta metav1.TypeMeta
	if err := json.Unmarshal(raw, &meta); err != nil {
		return nil, err
	}
	from := meta.GroupVersionKind()
	target, err := schema.ParseGroupVersion(to)
	if err != nil {
		return nil, err
	}
	kind, known := kinds[from.Kind]
	if !known || kind.Versions[from.Version] == nil || kind.Versions[target.Version] == nil {
		return nil, fmt.Errorf("no conversion of %s to %s", from, to)
	}
	fresh := func(version string) conversion.ConvertibleObject {
		return kind.Versions[version].DeepCopyObject().(conversion.ConvertibleObject)
	}
	in, hub, out := fresh(from.Version), fresh(kind.Hub), fresh(target.Version)
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, err
	}
	if from.Version == kind.Hub {
		hub = in
	} else if err := hub.ConvertFrom(ctx, in); err != nil {
		return nil, err
	}
	if target.Version == kind.Hub {
		out = hub
	} else if err := hub.ConvertTo(ctx, out); err != nil {
		return nil, err
	}
	out.GetObjectKind().SetGroupVersionKind(target.WithKind(from.Kind))
	if defaultable, is := out.(apis.Defaultable); is {
		defaultable.SetDefaults(ctx)
	}
	return json.Marshal(out)
}
