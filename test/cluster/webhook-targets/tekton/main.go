// Serves the conversions of Tekton's kinds.
package main

import (
	"context"

	"antechamber.dev/test/cluster/webhook-targets/knative"
	"antechamber.dev/test/cluster/webhook-targets/serving"
	"github.com/tektoncd/pipeline/pkg/apis/pipeline/v1"
	"github.com/tektoncd/pipeline/pkg/apis/pipeline/v1alpha1"
	"github.com/tektoncd/pipeline/pkg/apis/pipeline/v1beta1"
	"knative.dev/pkg/webhook/resourcesemantics/conversion"
)

type versions = map[string]conversion.ConvertibleObject

func main() {
	serving.Run(serving.Flags(), knative.Handler(context.Background(), map[string]knative.Kind{
		"StepAction":  {"v1alpha1", versions{"v1alpha1": &v1alpha1.StepAction{}, "v1beta1": &v1beta1.StepAction{}}},
		"Task":        {"v1beta1", versions{"v1beta1": &v1beta1.Task{}, "v1": &v1.Task{}}},
		"Pipeline":    {"v1beta1", versions{"v1beta1": &v1beta1.Pipeline{}, "v1": &v1.Pipeline{}}},
		"TaskRun":     {"v1beta1", versions{"v1beta1": &v1beta1.TaskRun{}, "v1": &v1.TaskRun{}}},
		"PipelineRun": {"v1beta1", versions{"v1beta1": &v1beta1.PipelineRun{}, "v1": &v1.PipelineRun{}}},
	}))
}
