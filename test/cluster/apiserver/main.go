// Command apiserver-with-etcd is a Kubernetes control plane for one test run: the released kube-apiserver and etcd,
// linked into one process, so that no child process can outlive it.
//
//	apiserver-with-etcd [--dir DIR] [--port PORT] [--kubeconfig FILE] [--until-eof] [-- kube-apiserver flags]
//
// When the server is ready, it prints the line
//
//	READY https://127.0.0.1:PORT kubeconfig=FILE
//
// on standard output. The log goes to standard error. SIGTERM and SIGINT end the process, and with --until-eof the end
// of standard input, too. In each case it removes its directory.
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
	flag.StringVar(&s.dir, "dir", "", "state directory, which is created, and removed in the end (default: a temporary one)")
	flag.IntVar(&s.port, "port", 0, "port on 127.0.0.1 (default: a free one)")
	flag.StringVar(&s.kubeconfig, "kubeconfig", "", "file for the administrator's kubeconfig (default: DIR/kubeconfig)")
	untilEOF := flag.Bool("until-eof", false, "end when standard input ends, such as when the parent process exits")
	flag.Parse()
	s.flags = flag.Args()

	if err := live(s, *untilEOF); err != nil {
		fmt.Fprintln(os.Stderr, "apiserver-with-etcd:", err)
		os.Exit(1)
	}
}

// live runs the servers until one fails, or a signal or the end of standard input ends the process. Neither is shut
// down gracefully: kube-apiserver would wait a minute for open watches, and all data is deleted anyway. Both end with main.
func live(s settings, untilEOF bool) error {
	// Once the parent process has ended, there is no reader of the log. Writing to it must not end this process before it
	// has cleaned up.
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

// makeDir creates the directory, which must not exist yet, since it is deleted in the end.
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

// removeDir tries for up to a second, because etcd still runs and may create files in the meantime.
func removeDir(dir string) {
	for range 100 {
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
