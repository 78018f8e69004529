// Package serving runs a conversion webhook of another project over HTTPS, for tests.
package serving

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"flag"
	"fmt"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"time"
)

// Options are the flags of a target.
type Options struct {
	// Port on 127.0.0.1; 0 takes a free one.
	Port int
	// CAOut is the file that the certificate is written to, if any.
	CAOut string
}

// Flags reads the command line.
func Flags() Options {
	var options Options
	flag.IntVar(&options.Port, "port", 0, "port on 127.0.0.1; 0 takes a free one")
	flag.StringVar(&options.CAOut, "ca-out", "", "file for the certificate")
	flag.Parse()
	return options
}

// Run serves a handler at /convert until the process ends, and prints READY with its URL.
func Run(options Options, handler http.Handler) {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", options.Port))
	Check(err)
	mux := http.NewServeMux()
	mux.Handle("/convert", handler)
	config := &tls.Config{Certificates: []tls.Certificate{Certificate(options)}, MinVersion: tls.VersionTLS12}
	server := &http.Server{Handler: mux, TLSConfig: config, ReadHeaderTimeout: 10 * time.Second}
	fmt.Printf("READY https://%s/convert\n", listener.Addr())
	Check(server.ServeTLS(listener, "", ""))
}

// Certificate makes a self-signed certificate for this run, and writes it to CAOut.
func Certificate(options Options) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Check(err)
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(now.UnixNano()),
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(24 * time.Hour),
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	Check(err)
	if options.CAOut != "" {
		Check(os.WriteFile(options.CAOut, PEM("CERTIFICATE", der), 0o600))
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// PEM encodes one block.
func PEM(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// Check ends the process on an error.
func Check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
