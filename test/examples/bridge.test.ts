import { expect, it } from "vitest";
import { Bridge, type Connection, DeviceUnreachable } from "../../examples/home/bridge.ts";
import { startDevices } from "../../examples/home/devices.ts";

it("a bridge that does not answer is interrupted, then lost; one that is back has forgotten its states", async () => {
  let devices = await startDevices({ port: 0, latency: 0, failures: 0 });
  const bridge = new Bridge(devices.url);
  const stopped = new AbortController();
  const seen: Connection[] = [];
  const changed: string[] = [];
  let onEvent = () => {};
  bridge.subscribe({
    onChange: (id) => {
      changed.push(id);
      onEvent();
    },
    onConnection: (connection) => {
      seen.push(connection);
      onEvent();
    },
  });
  const until = async (holds: () => boolean) => {
    while (!holds())
      await new Promise<void>((resolve) => {
        onEvent = resolve;
      });
  };
  expect(bridge.connection).toBe("interrupted");
  const running = bridge.run(stopped.signal);
  await until(() => bridge.connection === "connected");
  await bridge.set("lamp", { brightness: 0.5 }, 0);
  await until(() => changed.length > 0);
  expect(bridge.state("lamp")).toEqual({ brightness: 0.5 });

  const port = Number(new URL(devices.url).port);
  await devices.stop();
  await until(() => bridge.connection === "interrupted");
  expect(bridge.state("lamp")).toBeUndefined();
  await expect(bridge.set("lamp", { brightness: 1 }, 0)).rejects.toThrow(DeviceUnreachable);
  await until(() => bridge.connection === "lost");
  devices = await startDevices({ port, latency: 0, failures: 1 });
  await until(() => bridge.connection === "connected");
  expect(bridge.state("lamp")).toBeUndefined();
  await expect(bridge.set("lamp", { brightness: 1 }, 0)).rejects.toThrow("the device does not answer");
  expect(seen).toEqual(["connected", "interrupted", "lost", "connected"]);
  expect(changed).toEqual(["lamp"]);
  stopped.abort();
  await Promise.all([running, devices.stop()]);
}, 30_000);
