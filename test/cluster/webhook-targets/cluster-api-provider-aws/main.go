// Serves the conversions of Cluster API Provider AWS.
package main

import (
	"antechamber.dev/test/cluster/webhook-targets/serving"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1"
	"sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

func main() {
	scheme := runtime.NewScheme()
	serving.Check(v1beta1.AddToScheme(scheme))
	serving.Check(v1beta2.AddToScheme(scheme))
	serving.Run(serving.Flags(), conversion.NewWebhookHandler(scheme))
}
