// The bodies of the attacks: reviews as text, built on demand.

export const group = "home.antechamber.dev";

/** The small review of the regular clients. */
export function smallReview(): Buffer {
  return conversionOf([roomText("living-room")]);
}

/** A ConversionReview of objects, each of them JSON. */
export function conversionOf(objects: readonly string[], { to = "v1beta1" }: { to?: string } = {}): Buffer {
  const request = `{"uid":"0f0e","desiredAPIVersion":"${group}/${to}","objects":[${objects.join(",")}]}`;
  const response = '{"uid":"","convertedObjects":null,"result":{"metadata":{}}}';
  const head = '"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"';
  return Buffer.from(`{${head},"request":${request},"response":${response}}`);
}

/** An AdmissionReview of the creation of a Room, or of its update if an old one is given. */
export function admissionOf(object: string, oldObject?: string): Buffer {
  const kind = `{"group":"${group}","version":"v1","kind":"Room"}`;
  const resource = `{"group":"${group}","version":"v1","resource":"rooms"}`;
  return admission({ kind, resource, namespace: "home", name: "living-room" }, object, oldObject);
}

/** An AdmissionReview of the creation of a Pod. */
export function podAdmissionOf(object: string): Buffer {
  const kind = '{"group":"","version":"v1","kind":"Pod"}';
  const resource = '{"group":"","version":"v1","resource":"pods"}';
  return admission({ kind, resource, namespace: "default", name: "shop" }, object);
}

function admission(
  { kind, resource, namespace, name }: Readonly<Record<"kind" | "resource" | "namespace" | "name", string>>,
  object: string,
  oldObject?: string,
): Buffer {
  const names = `"kind":${kind},"resource":${resource},"requestKind":${kind},"requestResource":${resource}`;
  const user = '"userInfo":{"username":"ida","groups":["system:authenticated"]}';
  const verb = `"operation":"${oldObject === undefined ? "CREATE" : "UPDATE"}"`;
  const objects = `"object":${object},"oldObject":${oldObject ?? "null"},"dryRun":false`;
  const request = `{"uid":"0f0e",${names},"name":"${name}","namespace":"${namespace}",${verb},${user},${objects}}`;
  return Buffer.from(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":${request}}`);
}

/** The content of a Room besides its name; `spec` and `annotations` are the members of an object, without braces. */
export interface RoomParts {
  readonly spec?: string;
  readonly annotations?: string;
  readonly version?: string;
}

/** A Room of v1, as it is stored. */
export function roomText(
  name: string,
  { spec = goodSpec, annotations, version = "v1" }: RoomParts = {},
): string {
  const marks = annotations === undefined ? "" : `,"annotations":{${annotations}}`;
  const stamp =
    '"uid":"4b3a0c1e-0000-4000-8000-000000000001","generation":5,"creationTimestamp":"2026-03-01T06:45:00Z"';
  const metadata = `{"name":"${name}","namespace":"home",${stamp}${marks}}`;
  return `{"apiVersion":"${group}/${version}","kind":"Room","metadata":${metadata},"spec":{${spec}}}`;
}

const goodSpec =
  '"climate":{"targetCelsius":21.5,"mode":"Heat"},"lights":[{"name":"lamp","brightness":0.5,"transition":"300ms"}]';

/** Valid Rooms of about so many bytes in all. */
export function goodRooms(bytes: number): readonly string[] {
  const one = roomText("room-000000", { spec: lights(20) }).length + 1;
  return Array.from({ length: Math.floor(bytes / one) }, (_, index) =>
    roomText(`room-${String(index).padStart(6, "0")}`, { spec: lights(20) }),
  );
}

function lights(count: number): string {
  const each = Array.from(
    { length: count },
    (_, index) => `{"name":"lamp-${index}","brightness":0.${index % 10},"transition":"${index % 10}00ms"}`,
  );
  return `"climate":{"targetCelsius":21.5,"mode":"Heat"},"lights":[${each.join(",")}]`;
}

/** Fields that the schema of a Room preserves: those of an accessory. */
export function accessory(members: string): string {
  return `"accessories":[{"vendor":"acme",${members}}]`;
}

/** So many members with distinct keys; `first` is the spelling of their first letter. */
export function members(count: number, { first = "k", value = "1" } = {}): string {
  return times(count, (index) => `"${first}${String(index).padStart(7, "0")}":${value}`);
}

/** So many items or members. */
export function times(count: number, item: (index: number) => string): string {
  const parts: string[] = [];
  for (let index = 0; index < count; index++) parts.push(item(index));
  return parts.join(",");
}

/** A value nested in so many lists. */
export function nested(depth: number): string {
  return `${"[".repeat(depth)}1${"]".repeat(depth)}`;
}
