// Serves the conversion of Karpenter's NodePools; that of NodeClaims asks a cluster.
package main

import (
	"context"

	"antechamber.dev/test/cluster/webhook-targets/knative"
	"antechamber.dev/test/cluster/webhook-targets/serving"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"knative.dev/pkg/webhook/resourcesemantics/conversion"
	"sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/apis/v1beta1"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
)

func main() {
	classes := []schema.GroupVersionKind{{Group: "karpenter.k8s.aws", Version: "v1", Kind: "EC2NodeClass"}}
	versions := map[string]conversion.ConvertibleObject{"v1": &v1.NodePool{}, "v1beta1": &v1beta1.NodePool{}}
	kinds := map[string]knative.Kind{"NodePool": {Hub: "v1", Versions: versions}}
	serving.Run(serving.Flags(), knative.Handler(injection.WithNodeClasses(context.Background(), classes), kinds))
}
