package main

import (
	"errors"
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// startEtcd runs a one-member etcd that can be reached through a socket file alone. It returns when etcd is ready.
func startEtcd(dir, socket string) error {
	config := embed.NewConfig()
	config.Dir = dir
	// etcd listens on a socket file willingly but refuses to advertise one; the default that it advertises instead is
	// an address that nobody here ever asks for.
	config.ListenClientUrls = []url.URL{{Scheme: "unix", Path: socket}}
	config.ListenPeerUrls = nil
	config.LogLevel = "error"
	config.UnsafeNoFsync = true // no data here is worth waiting for a disk

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
