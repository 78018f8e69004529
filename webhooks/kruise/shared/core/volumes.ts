import type { Cause, JsonObject, Path } from "antechamber";
import {
  compareQuantities,
  dnsLabelFaults,
  dnsSubdomainFaults,
  quantity,
  quantityOf,
} from "antechamber/apimachinery";
import { duplicate, forbidden, invalid, notSupported, required, tooLong } from "../fault.ts";
import {
  entriesAt,
  integerAt,
  isTrue,
  objectAt,
  objectsAt,
  optionalIntegerAt,
  optionalStringAt,
  stringAt,
  stringsAt,
} from "../read.ts";
import { claimTemplateFaults } from "./claims.ts";
import type { Volumes } from "./mounts.ts";
import { range } from "./names.ts";
import { descending, withoutBacksteps } from "./paths.ts";
import { downwardFileFaults, fileFaults, modeFaults, projectedFaults } from "./projected.ts";

/** Faults of volumes (`ValidateVolumes`), and the volumes without faults. */
export function checkVolumes(
  volumes: readonly JsonObject[],
  path: Path,
): { readonly valid: Volumes; readonly causes: readonly Cause[] } {
  const valid = new Map<string, JsonObject>();
  const causes = volumes.flatMap((volume, index) => {
    const at = [...path, index];
    const name = stringAt(volume, "name");
    const faults = [
      ...sourceFaults(volume, at),
      ...(name === "" ? required([...at, "name"]) : invalid([...at, "name"], name, ...dnsLabelFaults(name))),
      ...(valid.has(name) ? duplicate([...at, "name"], name) : []),
    ];
    if (faults.length === 0) valid.set(name, volume);
    return faults;
  });
  return { valid, causes };
}

type Rule = (source: JsonObject, path: Path, volume: JsonObject) => readonly Cause[];

/** A rule that requires these fields and nothing else. */
function needs(...members: readonly string[]): Rule {
  return (source, path) =>
    members.flatMap((member) => {
      const isMissing = stringAt(source, member) === "" && stringsAt(source, member).length === 0;
      return isMissing ? required([...path, member]) : [];
    });
}

// In the order of the API server's checks: of several sources, all but the first are rejected.
const rules: Readonly<Record<string, Rule>> = {
  emptyDir: emptyDirFaults,
  hostPath: hostPathFaults,
  gitRepo: (source, path) => [
    ...needs("repository")(source, path, source),
    ...descending(stringAt(source, "directory"), [...path, "directory"]),
  ],
  gcePersistentDisk: partitioned("pdName"),
  awsElasticBlockStore: partitioned("volumeID"),
  secret: fileSource("secretName"),
  nfs: (source, path) => [
    ...needs("server", "path")(source, path, source),
    ...(stringAt(source, "path").startsWith("/")
      ? []
      : invalid([...path, "path"], stringAt(source, "path"), "must be an absolute path")),
  ],
  iscsi: iscsiFaults,
  glusterfs: needs("endpoints", "path"),
  flocker: flockerFaults,
  persistentVolumeClaim: needs("claimName"),
  rbd: needs("monitors", "image"),
  cinder: (source, path) => [...needs("volumeID")(source, path, source), ...secretFaults(source, path)],
  cephfs: needs("monitors"),
  quobyte: quobyteFaults,
  downwardAPI: (source, path) => [
    ...modeFaults(source, "defaultMode", path),
    ...objectsAt(source, "items").flatMap((file, index) =>
      downwardFileFaults(file, [...path, "items", index]),
    ),
  ],
  fc: fibreChannelFaults,
  flexVolume: flexFaults,
  configMap: fileSource("name"),
  azureFile: needs("secretName", "shareName"),
  vsphereVolume: needs("volumePath"),
  photonPersistentDisk: needs("pdID"),
  portworxVolume: needs("volumeID"),
  azureDisk: azureDiskFaults,
  storageos: storageosFaults,
  projected: projectedFaults,
  scaleIO: needs("gateway", "system", "volumeName"),
  csi: csiFaults,
  ephemeral: (source, path) => {
    const template = objectAt(source, "volumeClaimTemplate");
    const at = [...path, "volumeClaimTemplate"];
    return template === undefined ? required(at) : claimTemplateFaults(template, at);
  },
  image: (source, path) => pullPolicyFaults(stringAt(source, "pullPolicy"), [...path, "pullPolicy"]),
};

/** Faults of a required pull policy. */
export function pullPolicyFaults(policy: string, path: Path): readonly Cause[] {
  if (policy === "") return required(path);
  const policies = ["Always", "IfNotPresent", "Never"];
  return policies.includes(policy) ? [] : notSupported(path, policy, policies);
}

function sourceFaults(volume: JsonObject, path: Path): readonly Cause[] {
  const found = Object.entries(rules).flatMap(([name, rule]) => {
    const source = objectAt(volume, name);
    return source === undefined ? [] : [{ name, rule, source }];
  });
  // An unknown source may belong to a newer Kubernetes.
  const isNewer = Object.keys(volume).some((key) => key !== "name" && !Object.hasOwn(rules, key));
  if (found.length === 0) return isNewer ? [] : required(path, "must specify a volume type");
  return found.flatMap(({ name, rule, source }, index) =>
    index === 0
      ? rule(source, [...path, name], volume)
      : forbidden([...path, name], "may not specify more than 1 volume type"),
  );
}

function emptyDirFaults(source: JsonObject, path: Path): readonly Cause[] {
  const limit = quantityOf(source.sizeLimit ?? null);
  return limit !== undefined && compareQuantities(limit, quantity(0n)) < 0
    ? forbidden([...path, "sizeLimit"], "SizeLimit field must be a valid resource quantity")
    : [];
}

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

function hostPathFaults(source: JsonObject, path: Path): readonly Cause[] {
  const [hostPath, type] = [stringAt(source, "path"), stringAt(source, "type")];
  if (hostPath === "") return required([...path, "path"]);
  return [
    ...withoutBacksteps(hostPath, [...path, "path"]),
    ...(hostPathTypes.includes(type) ? [] : notSupported([...path, "type"], type, hostPathTypes)),
  ];
}

function partitioned(name: string): Rule {
  return (source, path) => {
    const partition = integerAt(source, "partition");
    const isFine = partition >= 0n && partition <= 255n;
    return [
      ...needs(name)(source, path, source),
      ...(isFine ? [] : invalid([...path, "partition"], source.partition, range(1, 255))),
    ];
  };
}

function fileSource(name: string): Rule {
  return (source, path) => [
    ...needs(name)(source, path, source),
    ...modeFaults(source, "defaultMode", path),
    ...objectsAt(source, "items").flatMap((item, index) => fileFaults(item, [...path, "items", index])),
  ];
}

const initiators: Readonly<Record<string, RegExp>> = {
  iqn: /^iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+(?::[^,;*&$|\s]+)$/,
  eui: /^eui\.[A-Fa-f0-9]{16}$/,
  naa: /^naa\.[A-Fa-f0-9]{32}$/,
};

function initiatorFaults(text: string): readonly string[] {
  const pattern = initiators[text.slice(0, 3)];
  if (pattern === undefined || text.length > 1000)
    return ["must be valid format starting with iqn, eui, or naa"];
  return pattern.test(text) ? [] : ["must be valid format"];
}

function iscsiFaults(source: JsonObject, path: Path, volume: JsonObject): readonly Cause[] {
  const [iqn, initiator, lun] = [
    stringAt(source, "iqn"),
    optionalStringAt(source, "initiatorName"),
    integerAt(source, "lun"),
  ];
  const needsSecret = isTrue(source, "chapAuthDiscovery") || isTrue(source, "chapAuthSession");
  const name = stringAt(volume, "name");
  const isLong = initiator !== undefined && `${name}:${stringAt(source, "targetPortal")}`.length > 64;
  const long =
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
  return [
    ...needs("targetPortal", "iqn")(source, path, volume),
    ...(iqn === "" ? [] : invalid([...path, "iqn"], iqn, ...initiatorFaults(iqn))),
    ...(lun < 0n || lun > 255n ? invalid([...path, "lun"], source.lun, range(0, 255)) : []),
    ...(needsSecret && objectAt(source, "secretRef") === undefined ? required([...path, "secretRef"]) : []),
    ...(initiator === undefined
      ? []
      : invalid([...path, "initiatorName"], initiator, ...initiatorFaults(initiator))),
    ...(isLong ? invalid([...path.slice(0, -1), "name"], name, long) : []),
  ];
}

function flockerFaults(source: JsonObject, path: Path): readonly Cause[] {
  const [name, uuid] = [stringAt(source, "datasetName"), stringAt(source, "datasetUUID")];
  const both = "datasetName and datasetUUID can not be specified simultaneously";
  return [
    ...(name === "" && uuid === "" ? required(path, "one of datasetName and datasetUUID is required") : []),
    ...(name !== "" && uuid !== "" ? invalid(path, "resource", both) : []),
    ...(name.includes("/") ? invalid([...path, "datasetName"], name, "must not contain '/'") : []),
  ];
}

function secretFaults(source: JsonObject, path: Path): readonly Cause[] {
  const ref = objectAt(source, "secretRef");
  return ref !== undefined && stringAt(ref, "name") === "" ? required([...path, "secretRef", "name"]) : [];
}

function quobyteFaults(source: JsonObject, path: Path): readonly Cause[] {
  const [registry, tenant] = [stringAt(source, "registry"), stringAt(source, "tenant")];
  const pairs = "must be a host:port pair or multiple pairs separated by commas";
  const isPair = (text: string) => /^(?:[^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(text);
  const registryFaults =
    registry === ""
      ? required([...path, "registry"], pairs)
      : tenant.length >= 65
        ? required([...path, "tenant"], "must be a UUID and may not exceed a length of 64 characters")
        : registry
            .split(",")
            .flatMap((pair) => (isPair(pair) ? [] : invalid([...path, "registry"], registry, pairs)));
  return [...registryFaults, ...needs("volume")(source, path, source)];
}

function fibreChannelFaults(source: JsonObject, path: Path): readonly Cause[] {
  const [names, ids] = [stringsAt(source, "targetWWNs"), stringsAt(source, "wwids")];
  const lun = optionalIntegerAt(source, "lun");
  const at = [...path, "targetWWNs"];
  const neither = "must specify either targetWWNs or wwids, but not both";
  const lunFaults =
    names.length === 0
      ? []
      : lun === undefined
        ? required([...path, "lun"], "lun is required if targetWWNs is specified")
        : lun < 0n || lun > 255n
          ? invalid([...path, "lun"], source.lun, range(0, 255))
          : [];
  return [
    ...(names.length === 0 && ids.length === 0 ? required(at, neither) : []),
    ...(names.length > 0 && ids.length > 0
      ? invalid(at, names, "targetWWNs and wwids can not be specified simultaneously")
      : []),
    ...lunFaults,
  ];
}

function flexFaults(source: JsonObject, path: Path): readonly Cause[] {
  const isReserved = (key: string) =>
    /\.(?:kubernetes|k8s)\.io$/.test(`.${(key.split("/")[0] ?? "").toLowerCase()}`);
  return [
    ...needs("driver")(source, path, source),
    ...entriesAt(source, "options").flatMap(([key]) =>
      isReserved(key)
        ? invalid([...path, "options", key], key, "kubernetes.io and k8s.io namespaces are reserved")
        : [],
    ),
  ];
}

function azureDiskFaults(source: JsonObject, path: Path): readonly Cause[] {
  const [caching, kind, uri] = [
    optionalStringAt(source, "cachingMode"),
    optionalStringAt(source, "kind"),
    stringAt(source, "diskURI"),
  ];
  const modes = ["None", "ReadOnly", "ReadWrite"];
  const kinds = ["Dedicated", "Managed", "Shared"];
  const managed =
    "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
  const blob = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
  const [start, form] = kind === "Managed" ? ["/subscriptions/", managed] : ["https://", blob];
  return [
    ...needs("diskName", "diskURI")(source, path, source),
    ...(caching === undefined || modes.includes(caching)
      ? []
      : notSupported([...path, "cachingMode"], caching, modes)),
    ...(kind === undefined || kinds.includes(kind) ? [] : notSupported([...path, "kind"], kind, kinds)),
    ...(kind === undefined || uri.startsWith(start) ? [] : notSupported([...path, "diskURI"], uri, [form])),
  ];
}

function storageosFaults(source: JsonObject, path: Path): readonly Cause[] {
  const [name, namespace] = [stringAt(source, "volumeName"), stringAt(source, "volumeNamespace")];
  return [
    ...(name === ""
      ? required([...path, "volumeName"])
      : invalid([...path, "volumeName"], name, ...dnsLabelFaults(name))),
    ...(namespace === ""
      ? []
      : invalid([...path, "volumeNamespace"], namespace, ...dnsLabelFaults(namespace))),
    ...secretFaults(source, path),
  ];
}

function csiFaults(source: JsonObject, path: Path): readonly Cause[] {
  const [driver, secret] = [stringAt(source, "driver"), objectAt(source, "nodePublishSecretRef")];
  const at = [...path, "driver"];
  const secretAt = [...path, "nodePublishSecretRef", "name"];
  const name = stringAt(secret, "name");
  return [
    ...(driver === "" ? required(at) : []),
    ...(driver.length > 63 ? tooLong(at, 63) : []),
    ...invalid(at, driver, ...dnsSubdomainFaults(driver.toLowerCase())),
    ...(secret === undefined
      ? []
      : name === ""
        ? required(secretAt)
        : invalid(secretAt, name, ...dnsSubdomainFaults(name))),
  ];
}
