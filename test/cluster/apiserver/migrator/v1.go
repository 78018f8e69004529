//go:build v1

package main

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/storagemigration/v1"
)

// migrationsOf is the informer that the controllers take from v1.37 on.
func migrationsOf(factory informers.SharedInformerFactory) v1.StorageVersionMigrationInformer {
	return factory.Storagemigration().V1().StorageVersionMigrations()
}
