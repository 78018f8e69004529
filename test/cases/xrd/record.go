// Records the CRDs that Crossplane makes of the XRD in standard input. XRDs of both versions of the API are read as v1, as
// Crossplane's controllers do, with the defaults that the API server has filled in for theirs. To run it, in a folder with a copy:
//
//	go mod init recorder
//	go get github.com/crossplane/crossplane-runtime/v2@v2.4.0 github.com/crossplane/crossplane/apis/v2@v2.3.4
//	go run record.go < zones.yaml > zones.crds.yaml
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	v1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

func main() {
	text := try(io.ReadAll(os.Stdin))
	xrd := &v1.CompositeResourceDefinition{}
	check(yaml.UnmarshalStrict(text, xrd))
	withDefaults(xrd)
	write(try(xcrd.ForCompositeResource(xrd)))
	if xrd.OffersClaim() {
		fmt.Println("---")
		write(try(xcrd.ForCompositeResourceClaim(xrd)))
	}
}

// The markers +kubebuilder:default of apis/apiextensions/v1 and v2.
func withDefaults(xrd *v1.CompositeResourceDefinition) {
	spec := &xrd.Spec
	if xrd.APIVersion == "apiextensions.crossplane.io/v2" {
		spec.Scope = or(spec.Scope, v1.CompositeResourceScopeNamespaced)
	} else {
		spec.Scope = or(spec.Scope, v1.CompositeResourceScopeLegacyCluster)
		spec.DefaultCompositeDeletePolicy = or(spec.DefaultCompositeDeletePolicy, xpv2.CompositeDeleteBackground)
	}
	spec.DefaultCompositionUpdatePolicy = or(spec.DefaultCompositionUpdatePolicy, xpv2.UpdateAutomatic)
}

func or[T any](given *T, otherwise T) *T {
	if given != nil {
		return given
	}
	return ptr.To(otherwise)
}

// Without owner and status, which are no part of what Crossplane makes of the XRD.
func write(crd *extv1.CustomResourceDefinition) {
	crd.OwnerReferences = nil
	fmt.Print(string(try(yaml.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   crd.ObjectMeta,
		"spec":       crd.Spec,
	}))))
}

func try[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
