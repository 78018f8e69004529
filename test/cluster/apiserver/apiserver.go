package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/server/flagz"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/keyutil"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// runAPIServer assembles kube-apiserver as its own command does, with one difference: it opens the listener itself, so
// that servers which start at the same moment cannot choose the same free port.
func runAPIServer(ctx context.Context, s settings, etcd string) error {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", s.port))
	if err != nil {
		return err
	}
	token, err := writeSecrets(s.dir)
	if err != nil {
		return err
	}
	completed, err := complete(ctx, listener, append(ownFlags(s.dir, etcd), s.flags...))
	if err != nil {
		return err
	}
	kubeconfig := func() error {
		return writeKubeconfig(s.kubeconfig, "https://"+listener.Addr().String(), token, completed.SecureServing.ServerCert.CertKey.CertFile)
	}

	config, err := app.NewConfig(completed)
	if err != nil {
		return err
	}
	ready, err := config.Complete()
	if err != nil {
		return err
	}
	chain, err := app.CreateServerChain(ready)
	if err != nil {
		return err
	}
	prepared, err := chain.PrepareRun()
	if err != nil {
		return err
	}

	failed := make(chan error, 2)
	go func() { failed <- prepared.Run(ctx) }()
	go func() {
		err := waitUntilUsable(ctx, chain.GenericAPIServer.LoopbackClientConfig)
		if err == nil {
			err = kubeconfig()
		}
		if err != nil {
			failed <- err
			return
		}
		fmt.Printf("READY https://%s kubeconfig=%s\n", listener.Addr(), s.kubeconfig)
		runNamespaceController(ctx, chain.GenericAPIServer.LoopbackClientConfig)
	}()
	return <-failed
}

func ownFlags(dir, etcd string) []string {
	key := filepath.Join(dir, "service-accounts.key")
	return []string{
		"--etcd-servers=" + etcd,
		"--cert-dir=" + dir, // kube-apiserver creates apiserver.crt and apiserver.key there
		"--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none", // the default rejects loopback as an endpoint
		"--service-cluster-ip-range=10.0.0.0/24",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + key,
		"--service-account-signing-key-file=" + key,
		"--token-auth-file=" + filepath.Join(dir, "tokens.csv"),
		"--authorization-mode=RBAC",
		"--disable-admission-plugins=ServiceAccount", // it waits for service accounts, which no controller creates here
		"--enable-priority-and-fairness=false",
	}
}

// complete parses the flags and sets defaults, as PersistentPreRunE and RunE of the command do.
func complete(ctx context.Context, listener net.Listener, args []string) (options.CompletedOptions, error) {
	var none options.CompletedOptions
	opts := options.NewServerRunOptions()
	opts.SecureServing.Listener = listener
	sets := opts.Flags()
	opts.Flagz = flagz.NamedFlagSetsReader{FlagSets: sets}
	all := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, set := range sets.FlagSets {
		all.AddFlagSet(set)
	}
	if err := all.Parse(args); err != nil {
		return none, err
	}
	if all.NArg() > 0 {
		return none, fmt.Errorf("takes flags only, got %q", all.Args())
	}

	registry := opts.GenericServerRunOptions.ComponentGlobalsRegistry
	if err := registry.Set(); err != nil { // from here on --feature-gates apply
		return none, err
	}
	if err := logsapi.ValidateAndApply(opts.Logs, feature.DefaultFeatureGate); err != nil {
		return none, err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{})

	// Validation reads address and port from the options, which no flag sets here.
	address := listener.Addr().(*net.TCPAddr)
	opts.SecureServing.BindAddress, opts.SecureServing.BindPort = address.IP, address.Port
	completed, err := opts.Complete(ctx)
	if err != nil {
		return none, err
	}
	return completed, errors.Join(completed.Validate()...)
}

// writeSecrets writes the key of the service accounts, and a token for the user admin in the group system:masters. It
// returns the token.
func writeSecrets(dir string) (string, error) {
	key, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return "", err
	}
	if err := keyutil.WriteKey(filepath.Join(dir, "service-accounts.key"), key); err != nil {
		return "", err
	}
	token := rand.Text()
	line := token + ",admin,admin,system:masters\n"
	return token, os.WriteFile(filepath.Join(dir, "tokens.csv"), []byte(line), 0o600)
}

func writeKubeconfig(file, url, token, certFile string) error {
	certificates, err := os.ReadFile(certFile) // the server's, followed by its CA's
	if err != nil {
		return err
	}
	config := api.NewConfig()
	config.Clusters["test"] = &api.Cluster{Server: url, CertificateAuthorityData: certificates}
	config.AuthInfos["admin"] = &api.AuthInfo{Token: token}
	config.Contexts["test"] = &api.Context{Cluster: "test", AuthInfo: "admin"}
	config.CurrentContext = "test"
	return clientcmd.WriteToFile(*config, file)
}
