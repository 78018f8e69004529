//go:build !v1

package main

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/storagemigration/v1beta1"
)

// migrationsOf is the informer that the controllers of v1.36 take.
func migrationsOf(factory informers.SharedInformerFactory) v1beta1.StorageVersionMigrationInformer {
	return factory.Storagemigration().V1beta1().StorageVersionMigrations()
}
