// Serves the conversions of MetalLB's BGPPeer and AddressPool, with controller-runtime's handler as MetalLB's controller does.
package main

import (
	"antechamber.dev/test/cluster/webhook-targets/serving"
	"go.universe.tf/metallb/api/v1alpha1"
	"go.universe.tf/metallb/api/v1beta1"
	"go.universe.tf/metallb/api/v1beta2"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

func main() {
	scheme := runtime.NewScheme()
	serving.Check(v1alpha1.AddToScheme(scheme))
	serving.Check(v1beta1.AddToScheme(scheme))
	serving.Check(v1beta2.AddToScheme(scheme))
	serving.Run(serving.Flags(), conversion.NewWebhookHandler(scheme))
}
