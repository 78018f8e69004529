package main

import (
	"errors"
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// startEtcd runs an etcd with one member that listens only on a socket file. It returns when etcd is ready.
func startEtcd(dir, socket string) error {
	config := embed.NewConfig()
	config.Dir = dir
	// etcd can listen on a socket file but not advertise one. The default, which it advertises instead, is unused.
	config.ListenClientUrls = []url.URL{{Scheme: "unix", Path: socket}}
	config.ListenPeerUrls = nil
	config.LogLevel = "error"
	config.UnsafeNoFsync = true // the data is temporary, so etcd need not wait for the disk

	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return nil
	case err := <-etcd.Err():
		return err
	case <-time.After(30 * time.Second):
		return errors.New("not ready within 30 seconds")
	}
}
