// Serves the conversions of Kueue's kinds.
package main

import (
	"antechamber.dev/test/cluster/webhook-targets/serving"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
	"sigs.k8s.io/kueue/apis/kueue/v1beta1"
	"sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

func main() {
	scheme := runtime.NewScheme()
	serving.Check(v1beta1.AddToScheme(scheme))
	serving.Check(v1beta2.AddToScheme(scheme))
	serving.Run(serving.Flags(), conversion.NewWebhookHandler(scheme, conversion.NewRegistry()))
}
