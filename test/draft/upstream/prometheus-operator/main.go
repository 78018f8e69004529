// Converts objects with the conversion of Prometheus Operator, as the program beside it does with those of Cluster API. The hub is the
// older version.
package main

import (
	"antechamber.dev/test/draft/upstream/lines"
	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1alpha1"
	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

func main() {
	lines.Convert(func(string) (lines.Spoke, conversion.Hub) {
		return &v1beta1.AlertmanagerConfig{}, &v1alpha1.AlertmanagerConfig{}
	}, "v1alpha1")
}
