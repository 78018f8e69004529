// Serves the conversions of external-snapshotter's VolumeGroupSnapshotContent. The project exports no handler, only a whole
// server, which listens on all interfaces, on the port given.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"antechamber.dev/test/cluster/webhook-targets/serving"
	"github.com/kubernetes-csi/external-snapshotter/v8/pkg/webhook"
)

func main() {
	options := serving.Flags()
	watcher := certificates(serving.Certificate(options))
	go ready(options.Port)
	config := &tls.Config{GetCertificate: watcher.GetCertificate, MinVersion: tls.VersionTLS12}
	serving.Check(webhook.StartServer(context.Background(), config, watcher, options.Port))
}

// The project reads its key pair from files.
func certificates(pair tls.Certificate) *webhook.CertWatcher {
	folder, err := os.MkdirTemp("", "external-snapshotter-")
	serving.Check(err)
	defer os.RemoveAll(folder)
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	serving.Check(err)
	crt, private := filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key")
	serving.Check(os.WriteFile(crt, serving.PEM("CERTIFICATE", pair.Certificate[0]), 0o600))
	serving.Check(os.WriteFile(private, serving.PEM("PRIVATE KEY", key), 0o600))
	watcher, err := webhook.NewCertWatcher(crt, private)
	serving.Check(err)
	return watcher
}

// Prints READY as soon as the port accepts connections.
func ready(port int) {
	address := fmt.Sprintf("127.0.0.1:%d", port)
	for {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			connection.Close()
			fmt.Printf("READY https://%s/convert\n", address)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
