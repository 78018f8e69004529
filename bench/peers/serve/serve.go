// Package serve runs a webhook on controller-runtime's server alone, on loopback, without a manager.
package serve

import (
	"context"
	"crypto/tls"
	"flag"
	"net/http"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

var (
	port = flag.Int("port", 9443, "port on 127.0.0.1")
	cert = flag.String("cert", "tls.crt", "PEM file of the certificate")
	key  = flag.String("key", "tls.key", "PEM file of its key")
)

// Run serves a handler at a path until the process is told to end.
func Run(path string, handler http.Handler) error {
	// The peer must not pay for a terminal.
	log.SetLogger(logr.Discard())
	pair, err := tls.LoadX509KeyPair(*cert, *key)
	if err != nil {
		return err
	}
	server := webhook.NewServer(webhook.Options{
		Host: "127.0.0.1",
		Port: *port,
		TLSOpts: []func(*tls.Config){func(config *tls.Config) {
			// As kubebuilder scaffolds it.
			config.NextProtos = []string{"http/1.1"}
			config.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &pair, nil }
		}},
	})
	server.Register(path, handler)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return server.Start(ctx)
}
