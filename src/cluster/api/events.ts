import { get, isObject, type Json } from "../../json/json.ts";
import { eventName } from "../../manifests/access.ts";
import type { ServiceReference } from "../../manifests/reach.ts";
import type { Connection } from "./connection.ts";
import { applyPatch, writeObject } from "./requests.ts";

/** An event on the Deployment of a service. */
export interface DeploymentEvent {
  /** In CamelCase; an event of the same reason replaces the last one, and is counted. */
  readonly reason: string;
  readonly type: "Normal" | "Warning";
  readonly message: string;
}

/** Where events are recorded, and by which replica. */
interface EventPlace {
  readonly connection: Connection;
  /** The Deployment has the name of the Service. */
  readonly service: ServiceReference;
  readonly replica: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Records an event. There is one object for each reason, as event recorders that aggregate leave it, so that the permission
 * can name it. Throws ApiServerError.
 */
export async function recordEvent(place: EventPlace, event: DeploymentEvent): Promise<void> {
  const { connection, service, replica, now } = place;
  const { namespace } = service;
  const name = eventName(service, event.reason);
  const path = `/api/v1/namespaces/${namespace}/events/${encodeURIComponent(name)}`;
  const [before, uid] = await Promise.all([found(connection, path), deploymentUid(place)]);
  const count = get(before, "count");
  const time = new Date(now()).toISOString().replace(/\.\d+Z$/, "Z");
  const first = get(before, "firstTimestamp");
  const body = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace },
    // kubectl describe looks for the uid.
    involvedObject: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      namespace,
      name: service.name,
      ...(uid === undefined ? {} : { uid }),
    },
    ...event,
    message: event.message.slice(0, 1_000),
    count: (typeof count === "number" ? count : 0) + 1,
    firstTimestamp: typeof first === "string" ? first : time,
    lastTimestamp: time,
    source: { component: "antechamber" },
    reportingComponent: "antechamber.dev/certificates",
    reportingInstance: replica,
  };
  await writeObject(connection, {
    method: "PATCH",
    path: `${path}?fieldManager=antechamber-events&force=true`,
    body,
    contentType: applyPatch,
    isCreation: true,
    failure: `the Event ${namespace}/${name} cannot be written`,
  });
}

async function deploymentUid({ connection, service }: EventPlace): Promise<string | undefined> {
  const path = `/apis/apps/v1/namespaces/${service.namespace}/deployments/${service.name}`;
  const uid = get(await found(connection, path), "metadata", "uid");
  return typeof uid === "string" ? uid : undefined;
}

/** Undefined also if it may not be read: then the event says less. */
async function found(connection: Connection, path: string): Promise<Json | undefined> {
  const { status, body } = await connection.request("GET", path);
  return status === 200 && isObject(body) ? body : undefined;
}
