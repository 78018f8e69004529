// Serves the conversions of Cluster API, with controller-runtime's handler as its manager does.
package main

import (
	"antechamber.dev/test/cluster/webhook-targets/serving"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	addonsold "sigs.k8s.io/cluster-api/api/addons/v1beta1"
	addons "sigs.k8s.io/cluster-api/api/addons/v1beta2"
	coreold "sigs.k8s.io/cluster-api/api/core/v1beta1"
	core "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ipamold "sigs.k8s.io/cluster-api/api/ipam/v1beta1"
	ipam "sigs.k8s.io/cluster-api/api/ipam/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

func main() {
	// Without it many kinds answer "apiVersionGetter not set"; the manager asks the CRDs of its cluster.
	coreold.SetAPIVersionGetter(func(kind schema.GroupKind) (string, error) { return kind.Group + "/v1beta2", nil })
	scheme := runtime.NewScheme()
	serving.Check(addonsold.AddToScheme(scheme))
	serving.Check(addons.AddToScheme(scheme))
	serving.Check(coreold.AddToScheme(scheme))
	serving.Check(core.AddToScheme(scheme))
	serving.Check(ipamold.AddToScheme(scheme))
	serving.Check(ipam.AddToScheme(scheme))
	serving.Run(serving.Flags(), conversion.NewWebhookHandler(scheme))
}
