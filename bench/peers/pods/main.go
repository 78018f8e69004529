// pods injects sidecars into pods with controller-runtime, at /mutate. It goes through all SidecarSets of a file for each pod and
// builds each selector anew, as OpenKruise does.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"log"
	"net/http"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"antechamber.dev/bench/peers/serve"
)

// sidecarSet is what injection reads of one.
type sidecarSet struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Selector       metav1.LabelSelector `json:"selector"`
		Containers     []sidecar            `json:"containers"`
		InitContainers []sidecar            `json:"initContainers"`
		Volumes        []corev1.Volume      `json:"volumes"`
	} `json:"spec"`
}

type sidecar struct {
	corev1.Container `json:",inline"`
	PodInjectPolicy  string `json:"podInjectPolicy"`
}

type injector struct {
	sets    []sidecarSet
	decoder admission.Decoder
}

func main() {
	file := flag.String("sets", "sets.json", "JSON list of SidecarSets")
	flag.Parse()
	text, err := os.ReadFile(*file)
	if err != nil {
		log.Fatal(err)
	}
	handler := &injector{}
	if err := json.Unmarshal(text, &handler.sets); err != nil {
		log.Fatal(err)
	}
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		log.Fatal(err)
	}
	handler.decoder = admission.NewDecoder(scheme)
	if err := serve.Run("/mutate", &admission.Webhook{Handler: handler}); err != nil {
		log.Fatal(err)
	}
}

// Handle decodes the pod, changes it, encodes it, and lets controller-runtime find the patch.
func (i *injector) Handle(_ context.Context, req admission.Request) admission.Response {
	pod := &corev1.Pod{}
	if err := i.decoder.Decode(req, pod); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	for n := range i.sets {
		// Unvalidated, as OpenKruise builds it.
		selector := labels.SelectorFromValidatedSet(i.sets[n].Spec.Selector.MatchLabels)
		if selector.Matches(labels.Set(pod.Labels)) {
			inject(pod, &i.sets[n])
		}
	}
	changed, err := json.Marshal(pod)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.PatchResponseFromRaw(req.Object.Raw, changed)
}

func inject(pod *corev1.Pod, set *sidecarSet) {
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations["sidecar.example/"+set.Metadata.Name] = "injected"
	for n := range set.Spec.InitContainers {
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, *set.Spec.InitContainers[n].DeepCopy())
	}
	var before, after []corev1.Container
	for n := range set.Spec.Containers {
		container := *set.Spec.Containers[n].Container.DeepCopy()
		if set.Spec.Containers[n].PodInjectPolicy == "AfterAppContainer" {
			after = append(after, container)
		} else {
			before = append(before, container)
		}
	}
	pod.Spec.Containers = append(append(before, pod.Spec.Containers...), after...)
	for n := range set.Spec.Volumes {
		pod.Spec.Volumes = append(pod.Spec.Volumes, *set.Spec.Volumes[n].DeepCopy())
	}
}
