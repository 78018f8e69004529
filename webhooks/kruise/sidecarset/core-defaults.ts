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
import { all, each, type Fill, fillNil, fillZero, within } from "./fill.ts";
import { pullPolicyOf } from "./image.ts";

// The defaults that OpenKruise sets in containers and volumes (apis/apps/defaults/v1beta1.go and pod.go): fewer than
// the
// API server sets in pods.

const fieldRef = within("fieldRef", fillZero("apiVersion", "v1"));

const httpGet = within("httpGet", all(fillZero("path", "/"), fillZero("scheme", "HTTP")));

const probe = all(
  httpGet,
  fillZero("timeoutSeconds", 1),
  fillZero("periodSeconds", 10),
  fillZero("successThreshold", 1),
  fillZero("failureThreshold", 3),
);

/** The defaults of a container. Startup probes are left to the API server. */
export const containerDefaults: Fill = all(
  fillZero("terminationMessagePath", "/dev/termination-log"),
  fillZero("terminationMessagePolicy", "File"),
  pullPolicy,
  each("ports", fillZero("protocol", "TCP")),
  each("env", within("valueFrom", fieldRef)),
  within("resources", all(within("limits", inMilli), within("requests", inMilli))),
  within("livenessProbe", probe),
  within("readinessProbe", probe),
  within("lifecycle", all(within("postStart", httpGet), within("preStop", httpGet))),
  each("transferEnv", within("sourceContainerNameFrom", fieldRef)),
);

const mode = fillNil("defaultMode", 420);
const items = each("items", fieldRef);

/** The defaults of a volume. */
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

/** A volume without a source is an emptyDir. A source that is unknown here counts as one. */
function emptyDir(volume: JsonObject): JsonObject {
  const hasSource = Object.entries(volume).some(([key, value]) => key !== "name" && value !== null);
  return hasSource ? volume : { ...volume, emptyDir: {} };
}

function pullPolicy(container: JsonObject): JsonObject {
  const image = own(container, "image") ?? "";
  return typeof image === "string" ? fillZero("imagePullPolicy", pullPolicyOf(image))(container) : container;
}

/** Rounds amounts of resources up to milli; coarser amounts keep their spelling. */
function inMilli(amounts: JsonObject): JsonObject {
  const rounded = Object.entries(amounts).map(([name, amount]) => [name, roundedAmount(amount)] as const);
  return rounded.some(([name, amount]) => amount !== own(amounts, name))
    ? Object.fromEntries(rounded)
    : amounts;
}

function roundedAmount(amount: Json): Json {
  const parsed = isObject(amount) || amount === null ? undefined : quantityOf(amount);
  if (parsed === undefined) return amount;
  const rounded = roundQuantity(parsed, -3);
  return compareQuantities(rounded, parsed) === 0 ? amount : printQuantity(rounded);
}
