import {
  compareQuantities,
  isObject,
  type Json,
  type JsonObject,
  own,
  printQuantity,
  quantityOf,
  roundQuantity,
} from "antechamber";
import { all, each, type Fill, fill, fillNil, within } from "./fill.ts";
import { pullPolicyOf } from "./image.ts";

// What Kruise fills in of containers and volumes (sidecarset.md 3.1): less than the API server does for pods.

const fieldRef = within("fieldRef", fill("apiVersion", "v1"));

const httpGet = within("httpGet", all(fill("path", "/"), fill("scheme", "HTTP")));

const probe = all(
  httpGet,
  fill("timeoutSeconds", 1),
  fill("periodSeconds", 10),
  fill("successThreshold", 1),
  fill("failureThreshold", 3),
);

/** A container as in a pod. Start-up probes are the API server's to fill in. */
export const containerDefaults: Fill = all(
  fill("terminationMessagePath", "/dev/termination-log"),
  fill("terminationMessagePolicy", "File"),
  pullPolicy,
  each("ports", fill("protocol", "TCP")),
  each("env", within("valueFrom", fieldRef)),
  within("resources", all(within("limits", inMilli), within("requests", inMilli))),
  within("livenessProbe", probe),
  within("readinessProbe", probe),
  within("lifecycle", all(within("postStart", httpGet), within("preStop", httpGet))),
  each("transferEnv", within("sourceContainerNameFrom", fieldRef)),
);

const mode = fillNil("defaultMode", 420);
const items = each("items", fieldRef);

/** A volume as in a pod. */
export const volumeDefaults: Fill = all(
  emptyDir,
  within("hostPath", fillNil("type", "")),
  within("secret", mode),
  within("configMap", mode),
  within("downwardAPI", all(mode, items)),
  within(
    "projected",
    all(
      mode,
      each(
        "sources",
        all(within("downwardAPI", items), within("serviceAccountToken", fillNil("expirationSeconds", 3600))),
      ),
    ),
  ),
);

/** A volume without a source is an empty directory. One with a source that nobody here knows has one all the same. */
function emptyDir(volume: JsonObject): JsonObject {
  const hasSource = Object.entries(volume).some(([key, value]) => key !== "name" && value !== null);
  return hasSource ? volume : { ...volume, emptyDir: {} };
}

function pullPolicy(container: JsonObject): JsonObject {
  const image = own(container, "image") ?? "";
  return typeof image === "string" ? fill("imagePullPolicy", pullPolicyOf(image))(container) : container;
}

/** Amounts of resources are never finer than milli. Those that are coarser stay as they are written. */
function inMilli(amounts: JsonObject): JsonObject {
  const rounded = Object.entries(amounts).map(([name, amount]) => [name, roundedAmount(amount)] as const);
  return rounded.some(([name, amount]) => amount !== own(amounts, name))
    ? Object.fromEntries(rounded)
    : amounts;
}

function roundedAmount(amount: Json): Json {
  const read = isObject(amount) || amount === null ? undefined : quantityOf(amount);
  if (read === undefined) return amount;
  const rounded = roundQuantity(read, -3);
  return compareQuantities(rounded, read) === 0 ? amount : printQuantity(rounded);
}
