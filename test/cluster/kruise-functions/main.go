// Asks the functions of OpenKruise that convert, default and validate StatefulSets and BroadcastJobs. Standard input has one
// question a line, standard output one answer a line, in the same order.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/capabilities"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1alpha1 "github.com/openkruise/kruise/apis/apps/v1alpha1"
	v1beta1 "github.com/openkruise/kruise/apis/apps/v1beta1"
	utilfeature "github.com/openkruise/kruise/pkg/util/feature"
)

// question is what one of the three webhooks is asked.
type question struct {
	// Webhook is convert, mutate or validate; read asks for the object as OpenKruise's types write it.
	Webhook string `json:"webhook"`
	// To is the version to convert to.
	To string `json:"to,omitempty"`
	// Operation is CREATE or UPDATE.
	Operation string          `json:"operation,omitempty"`
	Object    json.RawMessage `json:"object"`
	OldObject json.RawMessage `json:"oldObject,omitempty"`
	// Gates are the feature gates that differ from their defaults.
	Gates map[string]bool `json:"gates,omitempty"`
}

// answer has the object for convert and mutate, the verdict for mutate and validate, and the errors for validate.
type answer struct {
	Object  json.RawMessage `json:"object,omitempty"`
	Allowed bool            `json:"allowed"`
	Code    int32           `json:"code,omitempty"`
	Message string          `json:"message,omitempty"`
	Errors  []fault         `json:"errors,omitempty"`
}

// fault is one error of a validation.
type fault struct {
	Type   string `json:"type"`
	Field  string `json:"field"`
	Detail string `json:"detail"`
	Text   string `json:"text"`
}

var scheme = runtime.NewScheme()

func main() {
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			log.Fatal(err)
		}
	}
	// As OpenKruise's manager does, by its flag --allow-privileged.
	capabilities.Initialize(capabilities.Capabilities{AllowPrivileged: true})
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		text, err := json.Marshal(reply(line))
		if err != nil {
			log.Fatal(err)
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			log.Fatal(err)
		}
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				log.Fatal(err)
			}
		}
	}
}

// reply turns a panic into an answer: OpenKruise's server does so too.
func reply(line []byte) (found answer) {
	defer func() {
		if reason := recover(); reason != nil {
			found = answer{Code: 500, Message: fmt.Sprintf("panic: %v", reason)}
		}
	}()
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		log.Fatal(err)
	}
	restore := open(asked.Gates)
	defer restore()
	switch asked.Webhook {
	case "read":
		return read(asked)
	case "convert":
		return convert(asked)
	case "mutate":
		return mutate(asked)
	case "validate":
		return validate(asked)
	}
	log.Fatalf("no webhook %q", asked.Webhook)
	return
}

func open(gates map[string]bool) func() {
	before := map[string]bool{}
	for name := range gates {
		for known := range utilfeature.DefaultMutableFeatureGate.GetAll() {
			if string(known) == name {
				before[name] = utilfeature.DefaultFeatureGate.Enabled(known)
			}
		}
	}
	set(gates)
	return func() { set(before) }
}

func set(gates map[string]bool) {
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(gates); err != nil {
		log.Fatal(err)
	}
}

// kindOf reads the kind and version of an object.
func kindOf(object []byte) schema.GroupVersionKind {
	var typed metav1.TypeMeta
	if err := json.Unmarshal(object, &typed); err != nil {
		log.Fatal(err)
	}
	return schema.FromAPIVersionAndKind(typed.APIVersion, typed.Kind)
}

func requestOf(asked question) admission.Request {
	kind := kindOf(asked.Object)
	resource := map[string]string{"StatefulSet": "statefulsets", "BroadcastJob": "broadcastjobs"}[kind.Kind]
	return admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Operation: admissionv1.Operation(asked.Operation),
		Resource:  metav1.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: resource},
		Object:    runtime.RawExtension{Raw: asked.Object},
		OldObject: runtime.RawExtension{Raw: asked.OldObject},
	}}
}
