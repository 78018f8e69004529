import type { JsonObject } from "../../../src/json/json.ts";
import type { Names } from "../subject.ts";
import { container, sidecarSet } from "./sides.ts";

/**
 * An applier takes something out of what it applies, while a manager at the other version owns fields of the same
 * object. What it alone held goes, what others hold stays (docs/evidence/client-actions.md, the last table).
 */
export interface ApplierCase {
  readonly name: string;
  readonly names: Names;
  /** The version of the applier. */
  readonly version: string;
  /** The version of the other client, where the two are not those of a home. */
  readonly others?: string;
  /** The spec it applies first. */
  readonly first: JsonObject;
  /** What a client of the other version then writes into spec. */
  readonly other: JsonObject;
  /** What another client then PUTs into spec at the version of the applier. */
  readonly also?: JsonObject;
  /** The spec that the applier applies in the end. */
  readonly later: JsonObject;
  /** The spec to be read at the applier's version afterwards. */
  readonly meant: JsonObject;
  /** Whether it takes over what the other client holds; then it must last when it applies the same again. */
  readonly force?: "force";
  /** The fields of the other client that must still be there at its version. */
  readonly stays: JsonObject;
}

const room: Names = { kind: "Room", plural: "rooms" };
const light: Names = { kind: "Light", plural: "lights" };
const lock: Names = { kind: "Lock", plural: "locks" };

const climate = { targetCelsius: 20, mode: "Heat" };
const location = { floor: 1, building: "Main" };
const [lamp, bulb] = [
  { name: "lamp", brightness: 0.25, color: { kelvin: 2700 } },
  { name: "bulb", brightness: 0.5, transition: "1s" },
];
const equalLights = [
  { name: "lamp", brightness: 0.5 },
  { name: "bulb", brightness: 0.5 },
];
const owner = { owner: "ida" };
const firmware = { firmware: "1" };
const device = { protocol: "Zigbee", address: "00ff" };
const [night, day] = [
  { name: "night", at: "23:59", brightness: 0.05 },
  { name: "day", at: "07:00" },
];

const atV1 = { version: "v1", names: room, other: owner, stays: owner } as const;
const lightAtV1 = { version: "v1", names: light, other: firmware, stays: firmware } as const;
const lockAtV1 = {
  version: "v1",
  names: lock,
  other: { autoLockSeconds: 60 },
  stays: { autoLockSeconds: 60 },
} as const;

const sets: JsonObject = {
  selector: { matchLabels: { app: "shop" } },
  containers: [container],
  updateStrategy: { type: "RollingUpdate", maxUnavailable: 1, partition: 0 },
};
const history: JsonObject = { revisionHistoryLimit: 3 };
const setAt = (version: string, others: string) =>
  ({ version, others, names: sidecarSet, other: history, stays: history }) as const;
const setAtV1beta1 = setAt("v1beta1", "v1alpha1");
const setAtV1alpha1 = setAt("v1alpha1", "v1beta1");
const [shop, live] = [{ namespace: "shop" }, { namespaceSelector: { matchLabels: { stage: "live" } } }];

/** The cases, each tried with the other client applying and with it PUTting. */
export const applierCases: readonly ApplierCase[] = [
  {
    ...atV1,
    name: "v1 applier drops a field that v1beta1 has no word for",
    first: { climate, location },
    later: { climate: { targetCelsius: 20 }, location },
    meant: { climate: { targetCelsius: 20 }, location },
  },
  {
    ...atV1,
    name: "v1 applier drops the last such field of its parent",
    first: { climate, location: { building: "Main" } },
    later: { climate },
    meant: { climate },
  },
  {
    ...atV1,
    name: "v1 applier changes such a field",
    first: { climate, location },
    later: { climate: { ...climate, mode: "Cool" }, location },
    meant: { climate: { ...climate, mode: "Cool" }, location },
  },
  {
    ...atV1,
    name: "v1 applier drops a field that v1beta1 has a word for",
    first: { climate, location },
    later: { climate, location: { building: "Main" } },
    meant: { climate, location: { building: "Main" } },
  },
  {
    ...atV1,
    name: "v1 applier drops a colour of one of two lights",
    first: { lights: [lamp, bulb] },
    later: { lights: [{ name: "lamp", brightness: 0.25 }, bulb] },
    meant: { lights: [{ name: "lamp", brightness: 0.25 }, bulb] },
  },
  {
    ...atV1,
    name: "v1 applier drops one of two unequally bright lights",
    first: { lights: [lamp, bulb] },
    later: { lights: [lamp] },
    meant: { lights: [lamp] },
  },
  {
    ...atV1,
    name: "v1 applier drops one of two equally bright lights",
    first: { lights: equalLights },
    later: { lights: equalLights.slice(0, 1) },
    meant: { lights: equalLights.slice(0, 1) },
  },
  {
    ...atV1,
    name: "v1 applier drops the brightness of one of two equally bright lights",
    first: { lights: equalLights },
    later: { lights: [{ name: "lamp", brightness: 0.5 }, { name: "bulb" }] },
    meant: { lights: [{ name: "lamp", brightness: 0.5 }, { name: "bulb" }] },
  },
  {
    ...atV1,
    name: "v1 applier drops the state of one of two equal locks",
    first: {
      locks: [
        { name: "a", state: "Locked" },
        { name: "b", state: "Locked" },
      ],
    },
    later: { locks: [{ name: "a", state: "Locked" }, { name: "b" }] },
    meant: { locks: [{ name: "a", state: "Locked" }, { name: "b" }] },
  },
  {
    ...atV1,
    name: "v1 applier drops accessories",
    first: { climate, accessories: [{ vendor: "kettle.example", hot: null }] },
    later: { climate },
    meant: { climate },
  },
  {
    ...atV1,
    name: "v1 applier drops everything",
    first: { climate, location, lights: [lamp, bulb] },
    later: {},
    meant: {},
  },
  {
    ...lightAtV1,
    name: "v1 applier drops an item of the schedule",
    first: { transition: "0s", schedule: [night, day] },
    later: { transition: "0s", schedule: [night] },
    meant: { transition: "0s", schedule: [night] },
  },
  {
    ...lightAtV1,
    name: "v1 applier drops a colour",
    first: { transition: "300ms", color: { rgb: "#ffaa00" }, brightness: 0.333 },
    later: { transition: "300ms", brightness: 0.333 },
    meant: { transition: "300ms", brightness: 0.333 },
  },
  {
    ...lightAtV1,
    name: "v1 applier drops the protocol of an address",
    first: { transition: "0s", device },
    later: { transition: "0s", device: { address: "00ff" } },
    meant: { transition: "0s", device: { address: "00ff" } },
  },
  {
    ...lockAtV1,
    name: "v1 applier drops a field that v1beta1 has no word for, of a Lock",
    first: { desiredState: "Locked", autoLock: { enabled: true } },
    later: { desiredState: "Locked" },
    meant: { desiredState: "Locked", autoLock: { after: "60s" } },
  },
  {
    ...lockAtV1,
    name: "v1 applier drops the uses of a key",
    first: { keys: [{ id: "a", holder: "ida", maxUses: 3 }] },
    later: { keys: [{ id: "a", holder: "ida" }] },
    meant: { keys: [{ id: "a", holder: "ida" }], autoLock: { after: "60s" } },
  },
  {
    ...lockAtV1,
    name: "v1 applier drops the holder of a key",
    first: { keys: [{ id: "a", holder: "ida", maxUses: 3 }] },
    later: { keys: [{ id: "a", maxUses: 3 }] },
    meant: { keys: [{ id: "a", maxUses: 3 }], autoLock: { after: "60s" } },
  },
  {
    names: room,
    version: "v1beta1",
    name: "v1beta1 applier drops a field that v1 has no word for",
    first: { floor: 1, owner: "ida" },
    other: { climate: { mode: "Heat" } },
    later: { floor: 1 },
    meant: { floor: 1 },
    stays: { climate: { mode: "Heat" } },
  },
  {
    names: room,
    version: "v1beta1",
    name: "v1beta1 applier drops everything",
    first: { floor: 1, owner: "ida", temperature: "70F" },
    other: { climate: { mode: "Heat" } },
    later: {},
    meant: {},
    stays: { climate: { mode: "Heat" } },
  },
  {
    names: light,
    version: "v1beta1",
    name: "v1beta1 applier drops its only field",
    first: { firmware: "1" },
    other: { schedule: [night] },
    later: {},
    meant: {},
    stays: { schedule: [night], transition: "0s" },
  },
  {
    names: lock,
    version: "v1beta1",
    name: "v1beta1 applier drops one of three keys of one id",
    first: { locked: true, keys: ["a:ida", "a:bo", "a:cy"] },
    other: { autoLock: { enabled: true } },
    later: { locked: true, keys: ["a:ida", "a:bo"] },
    meant: { locked: true, keys: ["a:ida", "a:bo"] },
    stays: { autoLock: { enabled: true } },
  },
  {
    names: lock,
    version: "v1beta1",
    name: "v1beta1 applier drops one of two keys of one id",
    first: { locked: true, keys: ["a:ida", "a:bo"] },
    other: { autoLock: { enabled: true } },
    later: { locked: true, keys: ["a:ida"] },
    meant: { locked: true, keys: ["a:ida"] },
    stays: { autoLock: { enabled: true } },
  },
  {
    names: room,
    version: "v1beta1",
    name: "v1beta1 applier applies one brightness for lights that others hold, twice",
    first: { floor: 1 },
    other: { lights: [lamp, bulb] },
    later: { floor: 1, brightness: 50 },
    meant: { floor: 1, brightness: 50, lights: ["lamp", "bulb"] },
    stays: { lights: [{ ...lamp, brightness: 0.5 }, bulb] },
    force: "force",
  },
  {
    names: room,
    version: "v1beta1",
    name: "v1beta1 applier applies one brightness for lights of which v1beta1 holds one and v1 the others, twice",
    first: { floor: 1 },
    other: { lights: [lamp, bulb] },
    also: { lights: ["lamp", "bulb", "torch"] },
    later: { floor: 1, brightness: 50 },
    meant: { floor: 1, brightness: 50, lights: ["lamp", "bulb", "torch"] },
    stays: { lights: [{ ...lamp, brightness: 0.5 }, bulb, { name: "torch", brightness: 0.5 }] },
    force: "force",
  },
  {
    names: room,
    version: "v1beta1",
    name: "v1beta1 applier locks all doors, which others hold, twice",
    first: { floor: 1 },
    other: { locks: [{ name: "a", state: "Unlocked" }] },
    later: { floor: 1, lockDoors: true },
    meant: { floor: 1, lockDoors: true, doors: ["a"] },
    stays: { locks: [{ name: "a", state: "Locked" }] },
    force: "force",
  },
  {
    names: light,
    version: "v1beta1",
    name: "v1beta1 applier switches a light on that others hold, twice",
    first: { fadeSeconds: 1 },
    other: { brightness: 0 },
    later: { fadeSeconds: 1, powered: true, level: 40 },
    meant: { fadeSeconds: 1, powered: true, level: 40 },
    stays: { brightness: 0.4 },
    force: "force",
  },
  {
    names: lock,
    version: "v1beta1",
    name: "v1beta1 applier locks a lock that others hold, twice",
    first: { autoLockSeconds: 60 },
    other: { desiredState: "Unlocked" },
    later: { autoLockSeconds: 60, locked: true },
    meant: { autoLockSeconds: 60, locked: true },
    stays: { desiredState: "Locked" },
    force: "force",
  },
  {
    ...setAtV1beta1,
    name: "v1beta1 applier of a SidecarSet drops the name of its version, which v1alpha1 says in a label",
    first: { ...sets, customVersion: "1.0" },
    later: sets,
    meant: { ...sets, ...history },
  },
  {
    ...setAtV1beta1,
    name: "v1beta1 applier of a SidecarSet drops a name of its version that no label can say",
    first: { ...sets, customVersion: "second try" },
    later: sets,
    meant: { ...sets, ...history },
  },
  {
    ...setAtV1beta1,
    name: "v1beta1 applier of a SidecarSet changes the namespaces it is for",
    first: { ...sets, ...live },
    later: { ...sets, namespaceSelector: { matchLabels: { stage: "test" } } },
    meant: { ...sets, ...history, namespaceSelector: { matchLabels: { stage: "test" } } },
  },
  {
    ...setAtV1alpha1,
    name: "v1alpha1 applier of a SidecarSet drops its namespace",
    first: { ...sets, ...shop },
    later: sets,
    meant: { ...sets, ...history },
  },
  {
    ...setAtV1alpha1,
    name: "v1alpha1 applier of a SidecarSet drops the selector beside its namespace",
    first: { ...sets, ...shop, ...live },
    later: { ...sets, ...shop },
    meant: { ...sets, ...history, ...shop },
  },
  {
    ...setAtV1alpha1,
    name: "v1alpha1 applier of a SidecarSet changes its namespace",
    first: { ...sets, ...shop },
    later: { ...sets, namespace: "bakery" },
    meant: { ...sets, ...history, namespace: "bakery" },
  },
];
