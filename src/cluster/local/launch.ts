import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Programs } from "./programs.ts";

/** A program and its arguments. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The command that starts a cluster with its state in a directory. Both layouts run as one process and behave alike: they
 * create the directory, print READY, end on SIGTERM or at the end of standard input, and remove the directory.
 */
export function clusterLaunch(programs: Programs, dir: string, flags: readonly string[]): Launch {
  const rest = ["--dir", dir, "--until-eof", "--", ...flags];
  if (programs.layout === "one process") return { command: programs.apiserver, args: rest };
  const both = ["--etcd", programs.etcd, "--apiserver", programs.apiserver];
  return { command: process.execPath, args: [supervisor, ...both, ...rest] };
}

/** A program of its own: it ends what it started, however this process ends. */
const supervisor = fileURLToPath(
  new URL(`../../cli/supervisor.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url),
);

/** The arguments of a separate etcd: it listens on socket files only, and does not wait for the disk. */
export function etcdArgs(dir: string): readonly string[] {
  return [
    `--data-dir=${join(dir, "etcd")}`,
    `--listen-client-urls=${etcdUrl(dir)}`,
    // Required with --listen-client-urls. Unused here, but etcd does not accept the URL of a socket file.
    "--advertise-client-urls=http://localhost:2379",
    `--listen-peer-urls=unix://${join(dir, "peers.sock")}`,
    "--unsafe-no-fsync=true",
    "--log-level=error",
  ];
}

/** The arguments of a separate kube-apiserver, with its secrets in the directory; the caller's flags take precedence. */
export function apiserverArgs(dir: string, port: number, flags: readonly string[]): readonly string[] {
  const key = join(dir, "service-accounts.key");
  return [
    `--etcd-servers=${etcdUrl(dir)}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${dir}`, // kube-apiserver creates apiserver.crt and apiserver.key there
    "--advertise-address=127.0.0.1",
    "--endpoint-reconciler-type=none", // the default rejects loopback as an endpoint
    "--service-cluster-ip-range=10.0.0.0/24",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    `--token-auth-file=${join(dir, "tokens.csv")}`,
    "--authorization-mode=RBAC",
    "--disable-admission-plugins=ServiceAccount", // it waits for service accounts, which no controller creates here
    "--enable-priority-and-fairness=false",
    ...flags,
  ];
}

/** The arguments of kubectl that impersonates a user: `system:serviceaccount:ns:name`, or any name. */
export function kubectlArgs(args: readonly string[], as: string | undefined): readonly string[] {
  return as === undefined ? args : [`--as=${as}`, ...args];
}

function etcdUrl(dir: string): string {
  return `unix://${join(dir, "etcd.sock")}`;
}
