import { type Cause, get, type JsonObject, own, type Path } from "antechamber";
import { dnsSubdomainFaults } from "antechamber/apimachinery";
import { invalid, notSupported, required, tooLong } from "../fault.ts";
import {
  isTrue,
  objectAt,
  objectsAt,
  optionalIntegerAt,
  optionalStringAt,
  stringAt,
  stringsAt,
} from "../read.ts";
import { rangeFaults } from "./names.ts";
import { descending } from "./paths.ts";

/** Faults of a container's security context (`ValidateSecurityContext`); privileged containers are allowed. */
export function securityFaults(container: JsonObject, path: Path, hostUsers: boolean): readonly Cause[] {
  const context = objectAt(container, "securityContext");
  if (context === undefined) return [];
  const at = [...path, "securityContext"];
  return [
    ...idFaults(context, "runAsUser", at),
    ...idFaults(context, "runAsGroup", at),
    ...procMountFaults(optionalStringAt(context, "procMount"), [...at, "procMount"], hostUsers),
    ...seccompFaults(objectAt(context, "seccompProfile"), [...at, "seccompProfile"]),
    ...escalationFaults(context, at),
    ...windowsFaults(objectAt(context, "windowsOptions"), [...at, "windowsOptions"]),
    ...appArmorFaults(objectAt(context, "appArmorProfile"), [...at, "appArmorProfile"]),
  ];
}

/** HostProcess containers (`validateWindowsHostProcessPod`): all containers must be such, and the pod needs hostNetwork. */
export function hostProcessFaults(spec: JsonObject, path: Path): readonly Cause[] {
  const hostProcess = (holder: JsonObject) =>
    get(holder, "securityContext", "windowsOptions", "hostProcess") ?? null;
  const ofPod = hostProcess(spec);
  const containers = ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    objectsAt(spec, list).map((each, index) => ({ own: hostProcess(each), at: [...path, list, index] })),
  );
  const count = containers.filter(({ own: value }) => (value ?? ofPod) === true).length;
  const differing = containers.flatMap(({ own: value, at }) =>
    value === null || ofPod === null || value === ofPod
      ? []
      : invalid(
          [...at, "securityContext", "windowsOptions", "hostProcess"],
          value,
          `pod hostProcess value must be identical if both are specified, was ${ofPod}`,
        ),
  );
  if (count === 0) return differing;
  const all = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
  const network = "hostNetwork must be true if pod contains any hostProcess containers";
  return [
    ...differing,
    ...(count < containers.length ? invalid(path, "", all) : []),
    ...(isTrue(spec, "hostNetwork") ? [] : invalid([...path, "hostNetwork"], false, network)),
  ];
}

/** Faults of the id of a user or a group. */
export function idFaults(context: JsonObject, key: string, path: Path): readonly Cause[] {
  const id = optionalIntegerAt(context, key);
  return id === undefined
    ? []
    : invalid([...path, key], own(context, key), ...rangeFaults(id, 0, 2 ** 31 - 1));
}

const mounts = ["Default", "Unmasked"];

function procMountFaults(mount: string | undefined, path: Path, hostUsers: boolean): readonly Cause[] {
  if (mount === undefined) return [];
  if (!mounts.includes(mount)) return notSupported(path, mount, mounts);
  return mount === "Unmasked" && hostUsers
    ? invalid(path, mount, "`hostUsers` must be false to use `Unmasked`")
    : [];
}

const profiles = ["Localhost", "RuntimeDefault", "Unconfined"];

/** Faults of a seccomp profile (`validateSeccompProfileField`). */
export function seccompFaults(profile: JsonObject | undefined, path: Path): readonly Cause[] {
  if (profile === undefined) return [];
  const [type, local] = [stringAt(profile, "type"), optionalStringAt(profile, "localhostProfile")];
  const at = [...path, "localhostProfile"];
  const localFaults =
    type === "Localhost"
      ? local === undefined
        ? required(at, "must be set when seccomp type is Localhost")
        : descending(local, at)
      : local === undefined
        ? []
        : invalid(at, local, "can only be set when seccomp type is Localhost");
  const typeFaults =
    type === ""
      ? required([...path, "type"], "type is required when seccompProfile is set")
      : profiles.includes(type)
        ? []
        : notSupported([...path, "type"], type, profiles);
  return [...typeFaults, ...localFaults];
}

/** Faults of an AppArmor profile (`ValidateAppArmorProfileField`). */
export function appArmorFaults(profile: JsonObject | undefined, path: Path): readonly Cause[] {
  if (profile === undefined) return [];
  const [type, local] = [stringAt(profile, "type"), optionalStringAt(profile, "localhostProfile")];
  const at = [...path, "localhostProfile"];
  if (type === "") return required([...path, "type"], "type is required when appArmorProfile is set");
  if (!profiles.includes(type)) return notSupported([...path, "type"], type, profiles);
  if (type !== "Localhost") {
    return local === undefined ? [] : invalid(at, local, "can only be set when AppArmor type is Localhost");
  }
  if (local === undefined || local === "") {
    return required(at, "must be set when AppArmor type is Localhost");
  }
  return [
    ...(local.trim() === local ? [] : invalid(at, local, "must not be padded with whitespace")),
    ...(Buffer.byteLength(local) > 4095 ? tooLong(at, 4095) : []),
  ];
}

function escalationFaults(context: JsonObject, path: Path): readonly Cause[] {
  if (own(context, "allowPrivilegeEscalation") !== false) return [];
  const added = stringsAt(objectAt(context, "capabilities"), "add").filter(
    (each) => each === "CAP_SYS_ADMIN",
  );
  const clash = (what: string) =>
    invalid(path, context, `cannot set \`allowPrivilegeEscalation\` to false and ${what}`);
  return [
    ...(isTrue(context, "privileged") ? clash("`privileged` to true") : []),
    ...added.flatMap(() => clash("`capabilities.Add` CAP_SYS_ADMIN")),
  ];
}

/** Faults of the options for Windows (`validateWindowsSecurityContextOptions`). */
export function windowsFaults(options: JsonObject | undefined, path: Path): readonly Cause[] {
  if (options === undefined) return [];
  const [name, spec, user] = ["gmsaCredentialSpecName", "gmsaCredentialSpec", "runAsUserName"].map((key) =>
    optionalStringAt(options, key),
  );
  const specAt = [...path, "gmsaCredentialSpec"];
  return [
    ...(name === undefined
      ? []
      : invalid([...path, "gmsaCredentialSpecName"], name, ...dnsSubdomainFaults(name))),
    ...(spec === "" ? invalid(specAt, spec, "gmsaCredentialSpec cannot be an empty string") : []),
    ...(spec !== undefined && Buffer.byteLength(spec) > 64 * 1024
      ? invalid(specAt, spec, "gmsaCredentialSpec size must be under 64 KiB")
      : []),
    ...(user === undefined ? [] : invalid([...path, "runAsUserName"], user, ...userFaults(user))),
  ];
}

function userFaults(name: string): readonly string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  if (/\p{Cc}/u.test(name)) return ["runAsUserName cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const [domain, user] = parts.length === 2 ? [parts[0], parts[1] ?? ""] : [undefined, name];
  return [
    ...(domain !== undefined && domain.length >= 256
      ? ["runAsUserName's Domain length must be under 256 characters"]
      : []),
    ...(domain !== undefined && !isDomain(domain)
      ? ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"]
      : []),
    ...(user === "" ? ["runAsUserName's User cannot be empty"] : []),
    ...(user.length > 104 ? ["runAsUserName's User length must not be longer than 104 characters"] : []),
    ...(/^[. ]+$/.test(user) ? ["runAsUserName's User cannot contain only periods or spaces"] : []),
    ...(/["/\\:;|=,+*?<>@[\]]/.test(user)
      ? [`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`]
      : []),
  ];
}

function isDomain(text: string): boolean {
  const isNetBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/.test(text);
  const isLabel = (part: string) => /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/.test(part);
  return isNetBios || text.split(".").every(isLabel);
}
