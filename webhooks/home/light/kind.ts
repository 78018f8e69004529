import {
  type Circumstances,
  defineKind,
  equal,
  type Findings,
  get,
  isObject,
  type JsonObject,
  set,
  version,
} from "antechamber";
import { hasCondition } from "../conditions.ts";
import type { LightV1 } from "./types.ts";
import { deviceOf, v1beta1 } from "./v1beta1.ts";

export default defineKind({
  group: "home.antechamber.dev",
  kind: "Light",
  plural: "lights",
  scope: "Namespaced",
  categories: ["home"],
  versions: [
    version("v1beta1", v1beta1, {
      retired: {
        "spec.firmware": "nothing reads it; the device itself knows its firmware",
        "status.phase": "report status.conditions instead",
      },
    }),
    version("v1"),
  ],
  default: protocolFromAddress,
  validate: warnOfMovedDevice,
});

/**
 * Moves a known scheme from the address (`matter://kit`) to the protocol. The light was not validated yet: the API server
 * calls mutating webhooks before it checks the schema.
 */
function protocolFromAddress(light: JsonObject): JsonObject {
  const device = get(light, "spec", "device");
  if (!isObject(device)) return light;
  const { protocol, address } = deviceOf(device.address);
  if (protocol === undefined || (device.protocol !== undefined && device.protocol !== protocol)) return light;
  return set(light, "spec", "device", { ...device, protocol, address: address ?? "" });
}

function warnOfMovedDevice(light: LightV1, { oldObject }: Circumstances): Findings {
  const moved = !equal(light.spec?.device?.address, get(oldObject, "spec", "device", "address"));
  return oldObject !== undefined && moved && hasCondition(oldObject, "Ready", "True")
    ? {
        warnings: [
          "spec.device.address changes while the light is Ready: it may be lost until it is found again",
        ],
      }
    : {};
}
