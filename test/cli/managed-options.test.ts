import { expect, it } from "vitest";
import { antechamber } from "../support/cli.ts";

it.each([
  [["--certs", "files"], "--certs files needs a folder with tls.crt and tls.key: add --cert-dir <folder>"],
  [["--certs", "managed", "--cert-dir", "tls"], "--cert-dir and --certs managed exclude each other"],
  [["--certs", "managed", "--service", "antechamber"], "--service antechamber: must be <namespace>/<name>"],
  [["--certs", "managed", "--service", "a/b:99999"], "--service a/b:99999: must be <namespace>/<name>"],
  [["--certs", "managed", "--name", "A B"], "--name A B: not a valid name of a webhook configuration"],
  [
    ["--certs", "managed", "--ca-lifetime", "80d"],
    "--ca-lifetime must be at least three times --cert-lifetime",
  ],
  [
    ["--certs", "managed", "--cert-lifetime", "50s"],
    "--cert-lifetime must be at least six times --propagation-delay",
  ],
  [
    ["--certs", "managed", "--cert-lifetime", "44s", "--propagation-delay", "1s"],
    "--cert-lifetime must be at least 45s: in its last third, another replica may first have to take over the Lease, which takes 10 s",
  ],
  [["--certs", "managed", "--propagation-delay", "10ms"], "--propagation-delay must be at least 100ms"],
  [
    ["--certs", "managed", "--replica", "not_a_name"],
    "--replica not_a_name: must be a name such as that of a pod",
  ],
  [["--certs", "managed", "--kubeconfig", "/none"], "--certs managed: /none cannot be read"],
  [["--certs", "other"], "Allowed choices are local, files, managed"],
])("serve %s says what is wrong", async (args, message) => {
  const ran = await antechamber(["serve", "--port", "0", "--ops-port", "0", ...args]);
  expect(ran.stderr).toContain(message);
  expect(ran.code).toBe(2);
});
