import {
  durationTo,
  group,
  isInteger,
  isNumber,
  isObject,
  type Json,
  lens,
  move,
  reverse,
  toDecimal,
  toDouble,
  toInteger,
} from "antechamber";
import { brightnessOfLevel, levelOfBrightness } from "../percent.ts";

/** The lens from v1beta1 of a Light to v1. It gets plain JSON: stored objects need not match the schema. */
export const v1beta1 = lens(
  group({
    older: { powered: "spec.powered", level: "spec.level" },
    newer: { brightness: "spec.brightness" },
    up: ({ powered, level }) => ({ brightness: brightnessOf(powered, level) }),
    down: ({ brightness }) => ({
      powered: isNumber(brightness) ? toDouble(brightness) > 0 : undefined,
      level: levelOfBrightness(brightness),
    }),
    lossy: "a level is a whole percentage, and v1 has no level of a light that is off",
  }),
  move("spec.color", "spec.color", { up: structOfColor, down: stringOfColor }),
  move("spec.fadeSeconds", "spec.transition", reverse(durationTo("s", { fractions: true, printIn: "s" }))),
  group({
    older: { address: "spec.address" },
    newer: { protocol: "spec.device.protocol", address: "spec.device.address" },
    up: ({ address }) => deviceOf(address),
    down: ({ protocol, address }) => ({ address: addressOf(protocol, address) }),
    lossy: "v1beta1 names the protocol by the scheme of the address",
    // v1beta1 has one field for both: a manager that applies only the protocol keeps it when another one stops applying
    // the address.
    shared: ["spec.device.protocol"],
  }),
  move("status.level", "status.currentBrightness", {
    up: (level) => (isInteger(level) ? brightnessOfLevel(level) : undefined),
    down: levelOfBrightness,
    lossy: "a level is a whole percentage",
  }),
);

/** The protocols that an address can name as its scheme, as v1 spells them. */
const protocols: readonly string[] = ["Zigbee", "Matter", "Simulated"];

/** The device for an address: a scheme that is a known protocol in lower case becomes the protocol. */
export function deviceOf(address: Json | undefined): { protocol?: string; address?: string } {
  if (typeof address !== "string") return {};
  const protocol = protocols.find((each) => address.startsWith(schemeOf(each)));
  return protocol === undefined
    ? { address }
    : { protocol, address: address.slice(schemeOf(protocol).length) };
}

function addressOf(protocol: Json | undefined, address: Json | undefined): string | undefined {
  if (typeof address !== "string") return undefined;
  return typeof protocol === "string" && protocols.includes(protocol)
    ? schemeOf(protocol) + address
    : address;
}

function schemeOf(protocol: string): string {
  return `${protocol.toLowerCase()}://`;
}

function brightnessOf(powered: Json | undefined, level: Json | undefined): number | undefined {
  if (powered === false) return 0;
  if (level !== undefined) return brightnessOfLevel(level);
  return powered === true ? 1 : undefined;
}

function structOfColor(color: Json): Json | undefined {
  if (typeof color !== "string") return undefined;
  if (rgb.test(color)) return { rgb: color };
  const [, kelvin] = /^(-?\d{1,19})K$/.exec(color) ?? [];
  return kelvin === undefined ? undefined : { kelvin: toInteger(kelvin) };
}

function stringOfColor(color: Json): Json | undefined {
  if (!isObject(color) || Object.keys(color).length !== 1) return undefined;
  if (isInteger(color.kelvin)) return `${toDecimal(color.kelvin)}K`;
  return typeof color.rgb === "string" && rgb.test(color.rgb) ? color.rgb : undefined;
}

const rgb = /^#[0-9a-fA-F]{6}$/;
