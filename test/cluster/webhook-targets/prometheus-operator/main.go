// Serves the conversion of Prometheus Operator's AlertmanagerConfigs.
package main

import (
	"antechamber.dev/test/cluster/webhook-targets/serving"
	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1alpha1"
	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

func main() {
	scheme := runtime.NewScheme()
	serving.Check(v1alpha1.AddToScheme(scheme))
	serving.Check(v1beta1.AddToScheme(scheme))
	serving.Run(serving.Flags(), conversion.NewWebhookHandler(scheme))
}
