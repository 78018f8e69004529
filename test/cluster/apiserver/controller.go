package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/pkg/controller/namespace"
)

// waitUntilUsable returns when /readyz is ok and the namespace "default" exists, which is created a moment later.
func waitUntilUsable(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(2 * time.Minute)
	for {
		err := client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
		if err == nil {
			_, err = client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
		}
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timeout:
			return fmt.Errorf("not ready within two minutes: %w", err)
		case <-tick.C:
		}
	}
}

// runNamespaceController empties deleted namespaces, which would otherwise stay in the phase Terminating. It is the only
// controller here: owned objects are not garbage-collected, Pods are not scheduled, and Deployments create no Pods.
func runNamespaceController(ctx context.Context, config *rest.Config) {
	config = rest.CopyConfig(config)
	config.QPS = -1 // no limit
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		fmt.Fprintln(os.Stderr, "namespace controller:", err)
		return
	}
	objects, err := metadata.NewForConfig(config)
	if err != nil {
		fmt.Fprintln(os.Stderr, "namespace controller:", err)
		return
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	controller := namespace.NewNamespaceController(ctx, client, objects, client.Discovery().ServerPreferredNamespacedResources,
		factory.Core().V1().Namespaces(), time.Minute, corev1.FinalizerKubernetes)
	factory.Start(ctx.Done())
	controller.Run(ctx, 2)
}
