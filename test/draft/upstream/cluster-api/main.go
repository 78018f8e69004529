// Converts objects with the conversions of Cluster API: a line of JSON each, `{"kind", "to", "object"}`, for which a line with the
// converted object, or with the error, is printed.
package main

import (
	"antechamber.dev/test/draft/upstream/lines"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/cluster-api/api/core/v1beta1"
	"sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

func main() {
	// A manager asks the API server for the version; here it is the one that a lens by hand writes.
	v1beta1.SetAPIVersionGetter(func(kind schema.GroupKind) (string, error) { return kind.Group + "/v1beta1", nil })
	lines.Convert(func(kind string) (lines.Spoke, conversion.Hub) {
		switch kind {
		case "Cluster":
			return &v1beta1.Cluster{}, &v1beta2.Cluster{}
		case "ClusterClass":
			return &v1beta1.ClusterClass{}, &v1beta2.ClusterClass{}
		case "Machine":
			return &v1beta1.Machine{}, &v1beta2.Machine{}
		case "MachineDeployment":
			return &v1beta1.MachineDeployment{}, &v1beta2.MachineDeployment{}
		}
		panic("unknown kind " + kind)
	}, "v1beta2")
}
