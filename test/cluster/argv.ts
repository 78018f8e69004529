import { join } from "node:path";
import type { Binaries } from "./binaries.ts";

/** A program and its arguments. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * What starts a cluster with its state in a directory. Both layouts are one process to us and keep one promise: they
 * make the directory, say READY, end with SIGTERM or their standard input, and remove the directory.
 */
export function clusterLaunch(binaries: Binaries, dir: string, flags: readonly string[]): Launch {
  const rest = ["--dir", dir, "--until-eof", "--", ...flags];
  if (binaries.layout === "one process") return { command: binaries.apiserver, args: rest };
  const supervisor = join(import.meta.dirname, "supervisor.ts");
  const programs = ["--etcd", binaries.etcd, "--apiserver", binaries.apiserver];
  return { command: process.execPath, args: [supervisor, ...programs, ...rest] };
}

/** How an etcd is started on its own: reached through socket files only, its data not worth waiting for a disk. */
export function etcdArgs(dir: string): readonly string[] {
  return [
    `--data-dir=${join(dir, "etcd")}`,
    `--listen-client-urls=${etcdUrl(dir)}`,
    // Required beside a listening URL. Nobody asks there, and etcd refuses to advertise a socket file.
    "--advertise-client-urls=http://localhost:2379",
    `--listen-peer-urls=unix://${join(dir, "peers.sock")}`,
    "--unsafe-no-fsync=true",
    "--log-level=error",
  ];
}

/** How a kube-apiserver is started on its own, with its secrets in the directory; flags given win over ours. */
export function apiserverArgs(dir: string, port: number, flags: readonly string[]): readonly string[] {
  const key = join(dir, "service-accounts.key");
  return [
    `--etcd-servers=${etcdUrl(dir)}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${dir}`, // kube-apiserver makes apiserver.crt and apiserver.key there
    "--advertise-address=127.0.0.1",
    "--endpoint-reconciler-type=none", // it would refuse loopback as an endpoint
    "--service-cluster-ip-range=10.0.0.0/24",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    `--token-auth-file=${join(dir, "tokens.csv")}`,
    "--authorization-mode=RBAC",
    "--disable-admission-plugins=ServiceAccount", // it waits for accounts that no controller makes here
    "--enable-priority-and-fairness=false",
    ...flags,
  ];
}

/** How kubectl is told on whose behalf it asks: `system:serviceaccount:ns:name`, or any user's name. */
export function kubectlArgs(args: readonly string[], as: string | undefined): readonly string[] {
  return as === undefined ? args : [`--as=${as}`, ...args];
}

function etcdUrl(dir: string): string {
  return `unix://${join(dir, "etcd.sock")}`;
}
