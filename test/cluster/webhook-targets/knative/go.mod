module antechamber.dev/test/cluster/webhook-targets/knative

go 1.26.0

require (
	k8s.io/apiextensions-apiserver v0.30.3
	k8s.io/apimachinery v0.30.3
	knative.dev/pkg v0.0.0-20230712131115-7051d301e7f4
)
