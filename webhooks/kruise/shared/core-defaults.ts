import { isObject, type Json, type JsonObject, own } from "antechamber";
import { compareQuantities, printQuantity, quantityOf, roundQuantity } from "antechamber/apimachinery";
import { all, each, type Fill, fillNil, fillZero, within, withinNew } from "./fill.ts";
import { pullPolicyOf } from "./image.ts";

// The defaults that OpenKruise sets in pods, containers, volumes and claims (apis/apps/defaults/v1beta1.go and pod.go): fewer
// than the API server sets in pods.

const fieldRef = within("fieldRef", fillZero("apiVersion", "v1"));

const httpGet = within("httpGet", all(fillZero("path", "/"), fillZero("scheme", "HTTP")));

const probe = all(
  httpGet,
  fillZero("timeoutSeconds", 1),
  fillZero("periodSeconds", 10),
  fillZero("successThreshold", 1),
  fillZero("failureThreshold", 3),
);

const resources = within("resources", all(within("limits", inMilli), within("requests", inMilli)));

const message = all(
  fillZero("terminationMessagePath", "/dev/termination-log"),
  fillZero("terminationMessagePolicy", "File"),
);

/** What every kind of container has. Startup probes are left out. */
const common = all(
  each("ports", fillZero("protocol", "TCP")),
  each("env", within("valueFrom", fieldRef)),
  resources,
  within("livenessProbe", probe),
  within("readinessProbe", probe),
  within("lifecycle", all(within("postStart", httpGet), within("preStop", httpGet))),
);

/** The defaults of a container of a SidecarSet. Startup probes are left to the API server. */
export const containerDefaults: Fill = all(
  message,
  pullPolicy,
  common,
  each("transferEnv", within("sourceContainerNameFrom", fieldRef)),
);

const podContainer = all(common, within("startupProbe", probe));

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

/** The defaults of a pod in a template (SetDefaultPodSpec). Images are always pulled, so that they can change in place. */
export const podSpecDefaults: Fill = all(
  fillZero("dnsPolicy", "ClusterFirst"),
  fillZero("restartPolicy", "Always"),
  fillNil("securityContext", {}),
  fillNil("terminationGracePeriodSeconds", 30),
  fillZero("schedulerName", "default-scheduler"),
  each("volumes", volumeDefaults),
  each("initContainers", all(message, pullPolicy, podContainer)),
  each("containers", all(fillZero("imagePullPolicy", "Always"), message, podContainer)),
  each("ephemeralContainers", podContainer),
  within("overhead", inMilli),
);

/** The defaults of a claim in a list of templates (k8s.io/kubernetes, pkg/apis/core/v1, SetDefaults_PersistentVolumeClaim). */
export const claimDefaults: Fill = all(
  withinNew("status", all(fillZero("phase", "Pending"), within("capacity", inMilli))),
  within("spec", resources),
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
