// load sends reviews to a webhook over HTTPS as an API server does, and prints what they cost as JSON. The bodies are files. Each
// connection sends its next review when it has the answer; with -rate they share that many a second, and a latency counts from
// the moment at which its review was due.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var (
	address     = flag.String("address", "127.0.0.1:9443", "of the webhook")
	path        = flag.String("path", "/convert", "of the webhook")
	ca          = flag.String("ca", "ca.crt", "PEM file that signed its certificate")
	bodies      = flag.String("bodies", "", "folder with the bodies, which are sent in turn")
	connections = flag.Int("connections", 1, "which send at once")
	duration    = flag.Duration("duration", time.Second, "for which is measured")
	warmup      = flag.Duration("warmup", 0, "before")
	count       = flag.Int64("count", 0, "reviews after which it ends, if not 0")
	rate        = flag.Float64("rate", 0, "reviews a second, if not 0")
	pid         = flag.Int("pid", 0, "process of the webhook, whose CPU time and memory are read")
)

type report struct {
	Reviews  int     `json:"reviews"`
	Seconds  float64 `json:"seconds"`
	Median   float64 `json:"median"` // milliseconds
	P99      float64 `json:"p99"`
	CPU      float64 `json:"cpu"`  // microseconds a review
	Peak     float64 `json:"peak"` // MiB
	Received int     `json:"received"`
}

type connection struct {
	conn     *tls.Conn
	reader   *bufio.Reader
	received int
}

func main() {
	log.SetFlags(0)
	flag.Parse()
	requests, err := readRequests()
	if err != nil {
		log.Fatal(err)
	}
	open := make([]*connection, *connections)
	for i := range open {
		if open[i], err = dial(); err != nil {
			log.Fatal(err)
		}
	}
	if *warmup > 0 {
		if _, err := send(open, requests, *warmup, 0); err != nil {
			log.Fatal(err)
		}
	}
	for _, c := range open {
		c.received = 0
	}
	// Forgets the peak so far; where that is not allowed it is that of the process's whole life.
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", *pid), []byte("5"), 0)
	before, start := cpuTicks(), time.Now()
	latencies, err := send(open, requests, *duration, *count)
	if err != nil {
		log.Fatal(err)
	}
	seconds := time.Since(start).Seconds()
	result := report{Reviews: len(latencies), Seconds: seconds, Peak: peak()}
	result.CPU = float64(cpuTicks()-before) * 10_000 / float64(len(latencies))
	for _, c := range open {
		result.Received += c.received / len(latencies)
	}
	slices.Sort(latencies)
	at := func(share float64) float64 {
		return float64(latencies[int(share*float64(len(latencies)-1))].Microseconds()) / 1000
	}
	result.Median, result.P99 = at(0.5), at(0.99)
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		log.Fatal(err)
	}
}

// readRequests makes whole requests as the API server writes them.
func readRequests() ([][]byte, error) {
	files, err := filepath.Glob(filepath.Join(*bodies, "*.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("-bodies %s: no *.json in it", *bodies)
	}
	requests := make([][]byte, len(files))
	for i, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nUser-Agent: kube-apiserver-admission\r\nContent-Length: %d\r\n"+
			"Accept: application/json, */*\r\nContent-Type: application/json\r\nAccept-Encoding: gzip\r\n\r\n", *path, len(body))
		requests[i] = append([]byte(head), body...)
	}
	return requests, nil
}

func dial() (*connection, error) {
	pem, err := os.ReadFile(*ca)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	conn, err := tls.Dial("tcp", *address, &tls.Config{RootCAs: roots, ServerName: "localhost", NextProtos: []string{"http/1.1"}})
	if err != nil {
		return nil, err
	}
	return &connection{conn: conn, reader: bufio.NewReaderSize(conn, 64<<10)}, nil
}

// send lets all connections send for the duration, and returns the latencies.
func send(open []*connection, requests [][]byte, duration time.Duration, count int64) ([]time.Duration, error) {
	var taken atomic.Int64
	var group sync.WaitGroup
	found := make([][]time.Duration, len(open))
	errs := make([]error, len(open))
	start := time.Now()
	for i, c := range open {
		group.Go(func() {
			for {
				n := taken.Add(1) - 1
				due := time.Now()
				if *rate > 0 {
					due = start.Add(time.Duration(float64(n) / *rate * float64(time.Second)))
					time.Sleep(time.Until(due))
				}
				if n > 0 && due.Sub(start) > duration || count > 0 && n >= count {
					return
				}
				if errs[i] = c.do(requests[n%int64(len(requests))]); errs[i] != nil {
					return
				}
				found[i] = append(found[i], time.Since(due))
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return slices.Concat(found...), nil
}

// do sends a request and reads its answer. A large one is sent while the answer is read, since a server may begin before it has
// read everything.
func (c *connection) do(request []byte) error {
	if err := c.conn.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		return err
	}
	written := make(chan error, 1)
	write := func() {
		_, err := c.conn.Write(request)
		written <- err
	}
	if len(request) > 64<<10 {
		go write()
	} else {
		write()
	}
	length, err := c.readHead()
	if err != nil {
		return err
	}
	for length > 0 {
		discarded, err := c.reader.Discard(min(length, 1<<20))
		if err != nil {
			return err
		}
		length, c.received = length-discarded, c.received+discarded
	}
	return <-written
}

// readHead reads the head of an answer, and returns the length of its body. Neither server sends small answers in chunks; of those
// in chunks the body is read here.
func (c *connection) readHead() (int, error) {
	status, err := c.reader.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 200 ")) {
		return 0, fmt.Errorf("answered %s", status)
	}
	length := -1
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		name, value, found := strings.Cut(strings.TrimSpace(string(line)), ":")
		switch {
		case !found && length >= 0:
			return length, nil
		case !found:
			return 0, c.readChunks()
		case strings.EqualFold(name, "Content-Length"):
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return 0, err
			}
		}
	}
}

func (c *connection) readChunks() error {
	for {
		line, err := c.reader.ReadString('\n')
		if err != nil {
			return err
		}
		size, err := strconv.ParseInt(strings.TrimSpace(line), 16, 64)
		if err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, c.reader, size+2); err != nil {
			return err
		}
		c.received += int(size)
		if size == 0 {
			return nil
		}
	}
}

// cpuTicks is the CPU time of the process so far, in hundredths of seconds.
func cpuTicks() int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", *pid))
	if err != nil {
		return 0
	}
	// The name is in parentheses and may contain any character.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+2:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return user + system
}

func peak() float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", *pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kibibytes, _ := strconv.Atoi(strings.Fields(rest + " 0")[0])
	return float64(kibibytes) / 1024
}
