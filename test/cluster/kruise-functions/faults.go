package main

import (
	"encoding/json"
	_ "unsafe" // for go:linkname

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	v1beta1 "github.com/openkruise/kruise/apis/apps/v1beta1"
	statefulsetvalidating "github.com/openkruise/kruise/pkg/webhook/statefulset/validating"
)

// The webhooks answer with one text; these functions, which are not exported, tell the fields and types of errors apart.

//go:linkname validateStatefulSet github.com/openkruise/kruise/pkg/webhook/statefulset/validating.validateStatefulSet
func validateStatefulSet(set *v1beta1.StatefulSet) field.ErrorList

//go:linkname validateBroadcastJob github.com/openkruise/kruise/pkg/webhook/broadcastjob/validating.validateBroadcastJob
func validateBroadcastJob(job *v1beta1.BroadcastJob) field.ErrorList

// faultsOf gives the errors that the webhook of the kind puts into its message.
func faultsOf(asked question) []fault {
	var errors field.ErrorList
	switch object := hubOf(asked.Object).(type) {
	case *v1beta1.StatefulSet:
		errors = validateStatefulSet(object)
		if asked.Operation == "UPDATE" {
			old := hubOf(asked.OldObject).(*v1beta1.StatefulSet)
			errors = append(errors, statefulsetvalidating.ValidateStatefulSetUpdate(object, old)...)
		}
	case *v1beta1.BroadcastJob:
		errors = validateBroadcastJob(object)
	}
	faults := make([]fault, 0, len(errors))
	for _, each := range errors {
		faults = append(faults, fault{Type: string(each.Type), Field: each.Field, Detail: each.Detail, Text: each.Error()})
	}
	return faults
}

// hubOf reads an object of either version as one of v1beta1.
func hubOf(object []byte) any {
	kind := kindOf(object)
	decoded, err := scheme.New(kind)
	if err != nil {
		return nil
	}
	if err := json.Unmarshal(object, decoded); err != nil {
		return nil
	}
	spoke, ok := decoded.(conversion.Convertible)
	if !ok {
		return decoded
	}
	hub, err := scheme.New(kind.GroupKind().WithVersion("v1beta1"))
	if err != nil {
		return nil
	}
	if err := spoke.ConvertTo(hub.(conversion.Hub)); err != nil {
		return nil
	}
	return hub
}
