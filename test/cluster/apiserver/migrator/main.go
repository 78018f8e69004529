// Command storage-version-migrator runs the controllers of kube-controller-manager that carry out the StorageVersionMigration
// objects of an API server, and no other ones.
//
//	storage-version-migrator --kubeconfig FILE [--until-eof]
//
// When the controllers run, it prints the line READY on standard output. The log goes to standard error. SIGTERM and SIGINT
// end the process, and with --until-eof the end of standard input, too.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/storageversionmigrator"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig file of an administrator")
	untilEOF := flag.Bool("until-eof", false, "end when standard input ends, such as when the parent process exits")
	flag.Parse()

	signal.Ignore(syscall.SIGPIPE)
	ctx, end := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	if *untilEOF {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			end()
		}()
	}
	if err := run(ctx, *kubeconfig); err != nil {
		fmt.Fprintln(os.Stderr, "storage-version-migrator:", err)
		os.Exit(1)
	}
}

// run starts the controllers as newSVMController and newGarbageCollectorController in cmd/kube-controller-manager/app do,
// and returns when ctx ends. The migrator finds the objects in the caches of the garbage collector, which has no workers
// here, so that it deletes no objects.
func run(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1 // no limit
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	crds, err := apiextensions.NewForConfig(config)
	if err != nil {
		return err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	meta, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	resources, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(resources))

	typed := informers.NewSharedInformerFactory(client, 0)
	shared := informerfactory.NewInformerFactory(typed, metadatainformer.NewSharedInformerFactory(meta, 0))
	started := make(chan struct{})
	ignored := map[schema.GroupResource]struct{}{{Resource: "events"}: {}, {Group: "events.k8s.io", Resource: "events"}: {}}
	graph := garbagecollector.NewDependencyGraphBuilder(ctx, meta, mapper, ignored, shared, started)
	collector, err := garbagecollector.NewComposedGarbageCollector(ctx, client, meta, mapper, graph)
	if err != nil {
		return err
	}
	migrations := migrationsOf(typed)
	controllers := []func(context.Context){
		storageversionmigrator.NewSVMController(ctx, client, objects, migrations, "storage-version-migrator-controller", mapper, graph).Run,
		storageversionmigrator.NewResourceVersionController(ctx, client, resources, meta, migrations, mapper).Run,
		storageversionmigrator.NewCustomResourceController(ctx, client, migrations, crds.ApiextensionsV1().CustomResourceDefinitions()).Run,
	}
	typed.Start(ctx.Done())
	close(started)
	go collector.Sync(ctx, resources, time.Second)
	go collector.Run(ctx, 0, time.Minute)
	for _, run := range controllers {
		go run(ctx)
	}
	fmt.Println("READY")
	<-ctx.Done()
	return nil
}
