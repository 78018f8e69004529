// Command apiserver-with-etcd is a Kubernetes control plane for one test run: kube-apiserver and etcd as they are
// released, linked into a single process that nothing outlives.
//
//	apiserver-with-etcd [--dir DIR] [--port PORT] [--kubeconfig FILE] [--until-eof] [-- kube-apiserver flags]
//
// When the server is ready to be used, standard output gets the line
//
//	READY https://127.0.0.1:PORT kubeconfig=FILE
//
// The log is on standard error. SIGTERM and SIGINT end the process, and so does the end of standard input if
// --until-eof is given. Whatever ends it, its directory goes with it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

type settings struct {
	dir        string
	port       int
	kubeconfig string
	flags      []string
}

func main() {
	var s settings
	flag.StringVar(&s.dir, "dir", "", "state directory; made here, removed in the end (default: a temporary one)")
	flag.IntVar(&s.port, "port", 0, "port on 127.0.0.1 (default: one that is free)")
	flag.StringVar(&s.kubeconfig, "kubeconfig", "", "where the administrator's kubeconfig goes (default: DIR/kubeconfig)")
	untilEOF := flag.Bool("until-eof", false, "end when standard input ends, that is, with whoever holds its other side")
	flag.Parse()
	s.flags = flag.Args()

	if err := live(s, *untilEOF); err != nil {
		fmt.Fprintln(os.Stderr, "apiserver-with-etcd:", err)
		os.Exit(1)
	}
}

// live runs the servers until they fail or are no longer wanted. Neither of them is asked to stop: kube-apiserver would
// wait a minute for open watches, all for the sake of data that is about to be deleted. The end of main stops both.
func live(s settings, untilEOF bool) error {
	// A parent that dies takes the reader of our log along. Writing to it then must not kill us before we have cleaned up.
	signal.Ignore(syscall.SIGPIPE)
	ctx, end := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	if untilEOF {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			end()
		}()
	}

	dir, err := makeDir(s.dir)
	if err != nil {
		return err
	}
	defer removeDir(dir)
	s.dir = dir
	if s.kubeconfig == "" {
		s.kubeconfig = filepath.Join(dir, "kubeconfig")
	}

	failed := make(chan error, 1)
	go func() { failed <- serve(ctx, s) }()
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}

// serve starts etcd, then kube-apiserver, and returns only if one of them fails.
func serve(ctx context.Context, s settings) error {
	socket := filepath.Join(s.dir, "etcd.sock")
	if err := startEtcd(filepath.Join(s.dir, "etcd"), socket); err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	if err := runAPIServer(ctx, s, "unix://"+socket); err != nil {
		return fmt.Errorf("kube-apiserver: %w", err)
	}
	return nil
}

// makeDir insists on a directory that did not exist before, since it will be deleted.
func makeDir(dir string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "apiserver-")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return abs, os.Mkdir(abs, 0o700)
}

// removeDir tries for up to a second, because etcd is still there and may put a file where one has just been removed.
func removeDir(dir string) {
	for range 100 {
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
