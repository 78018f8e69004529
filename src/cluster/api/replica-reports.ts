import { jsonIn } from "../../json/exact.ts";
import { type Json, objectAt } from "../../json/json.ts";
import { rotationNames } from "../../manifests/access.ts";
import type { ServiceReference } from "../../manifests/reach.ts";
import type { Connection } from "./connection.ts";
import { readNamed } from "./named-object.ts";

/** What a replica says of itself; undefined if it is not JSON. */
export interface RawReport {
  readonly replica: string;
  readonly report: Json | undefined;
}

/** The reports of all replicas with managed certificates. Throws ApiServerError. */
export async function readRawReports(
  connection: Connection,
  service: ServiceReference,
): Promise<readonly RawReport[]> {
  const { namespace } = service;
  const name = rotationNames(service).reports;
  const object = await readNamed(connection, { kind: "ConfigMap", namespace, name });
  return Object.entries(objectAt(object, "data")).map(([replica, text]) => ({
    replica,
    report: typeof text === "string" ? jsonIn(text) : undefined,
  }));
}
