// CRDs of other projects that have several versions, to test lenses on. Nothing here is compiled: the build copies files out
// of these modules.
module antechamber.dev/test/cluster/published

go 1.26.0

require (
	github.com/jetstack/cert-manager v1.5.5
	github.com/prometheus-operator/prometheus-operator v0.85.0
	sigs.k8s.io/cluster-api v1.12.0
)
