// server converts Rooms between v1beta1 and v1 with controller-runtime, at /convert: plainly, or with -lossless.
package main

import (
	"flag"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	"antechamber.dev/bench/peers/room/v1"
	"antechamber.dev/bench/peers/room/v1beta1"
	"antechamber.dev/bench/peers/serve"
)

func main() {
	flag.BoolVar(&v1beta1.Lossless, "lossless", false, "keep the hub object in an annotation of v1beta1")
	flag.Parse()
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(v1.GroupVersion, &v1.Room{})
	scheme.AddKnownTypes(v1beta1.GroupVersion, &v1beta1.Room{})
	metav1.AddToGroupVersion(scheme, v1.GroupVersion)
	metav1.AddToGroupVersion(scheme, v1beta1.GroupVersion)
	if err := serve.Run("/convert", conversion.NewWebhookHandler(scheme, conversion.NewRegistry())); err != nil {
		log.Fatal(err)
	}
}
