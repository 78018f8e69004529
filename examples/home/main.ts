import { once } from "node:events";
import { parseArgs } from "node:util";
import { KubeConfig } from "@kubernetes/client-node";
import { Cluster } from "./cluster.ts";
import { startControllers } from "./controllers.ts";
import { startDevices } from "./devices.ts";
import { serveActions } from "./front-end.ts";

const help = `Usage: node examples/home/main.ts [options]

Controllers for the Rooms, Lights and Locks of a cluster, with simulated devices, until Ctrl-C.

  --kubeconfig FILE   the API server; by default that of kubectl
  --port N            POST /actions, on loopback (default 8090)
  --devices URL       a bridge that runs elsewhere; by default one is simulated in this process
  --devices-only      simulate devices and nothing else
  --devices-port N    the port of the simulated bridge (default: any)
  --latency MS        how long a simulated device takes (default 50)
  --failures SHARE    how many of its commands fail, from 0 to 1 (default 0.05)
`;

const options = {
  kubeconfig: { type: "string" },
  port: { type: "string", default: "8090" },
  devices: { type: "string" },
  "devices-only": { type: "boolean", default: false },
  "devices-port": { type: "string", default: "0" },
  latency: { type: "string", default: "50" },
  failures: { type: "string", default: "0.05" },
  help: { type: "boolean", default: false },
} as const;

class WrongUsage extends Error {
  override readonly name = "WrongUsage";
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = error instanceof WrongUsage ? 2 : 3;
}

async function main(args: string[]): Promise<void> {
  const values = valuesOf(args);
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const ended = new AbortController();
  const signalled = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  const devices = values.devices === undefined ? await startDevices(simulationOf(values)) : undefined;
  const bridge = values.devices ?? devices?.url ?? "";
  process.stdout.write(`devices: ${bridge}\n`);
  const frontEnd = values["devices-only"] ? undefined : await control(values, bridge, ended.signal);
  await signalled;
  ended.abort();
  await Promise.all([frontEnd?.stop(), devices?.stop()]);
}

async function control(values: Values, devices: string, signal: AbortSignal) {
  const config = new KubeConfig();
  if (values.kubeconfig === undefined) config.loadFromDefault();
  else config.loadFromFile(values.kubeconfig);
  const cluster = new Cluster(config);
  const log = (line: string) => process.stderr.write(`${line}\n`);
  await startControllers({ cluster, devices, now: () => new Date(), log, signal });
  const frontEnd = await serveActions(cluster, numberOf("port", values.port, 65_535));
  process.stdout.write(`actions: ${frontEnd.url}/actions\n`);
  return frontEnd;
}

type Values = ReturnType<typeof valuesOf>;

function valuesOf(args: string[]) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new WrongUsage(`${(error as Error).message}; --help lists the options`);
  }
}

function simulationOf(values: Values) {
  return {
    port: numberOf("devices-port", values["devices-port"], 65_535),
    latency: numberOf("latency", values.latency, 60_000),
    failures: numberOf("failures", values.failures, 1),
  };
}

function numberOf(name: string, text: string, most: number): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0 && value <= most))
    throw new WrongUsage(`--${name} must be a number from 0 to ${most}, not ${JSON.stringify(text)}`);
  return value;
}
