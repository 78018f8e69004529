import { isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { contentOf, differences, withField } from "../content.ts";
import type { Home } from "../home.ts";
import { type ClientAt, metadataOf, type Step, subject } from "../subject.ts";
import type { Action, Cell } from "./actions.ts";
import type { ApplierCase } from "./appliers.ts";
import type { Side } from "./sides.ts";

/** What came of one action on one object. */
export interface Finding {
  /** Fields in which the owner reads something else than was meant; none is "kept". */
  readonly lost: readonly string[];
  /** What the server refused: `409 PUT at v1`. */
  readonly refused: readonly string[];
  /** What the server wrote though nothing was changed. */
  readonly churns: readonly string[];
  /** Where a carrier is named to people: managers of fields, conflicts. */
  readonly carriersNamed: readonly string[];
}

/** Tries an action on an object made for it. */
export async function tryOut(
  home: Home,
  namespace: string,
  name: string,
  side: Side,
  action: Action,
): Promise<Finding> {
  const it = subject(home, side.names, namespace, name);
  const [native, client] = [it.at(side.native), it.at(side.client)];
  await bringToLife(native, side);
  let before = await native.get();
  const changeOwn = async () => {
    const change = withField({}, side.own.path, side.own.value);
    await (side.own.path[0] === "status" ? native.patchStatus(change) : native.patch(change));
    before = await native.get();
  };
  const churns: string[] = [];
  const still = async (write: () => Promise<unknown>) => {
    const before = versionOf(await native.get());
    await write();
    if (versionOf(await native.get()) !== before) churns.push(`${it.steps.at(-1)?.what} writes`);
  };
  const cell: Cell = { side, native, client, changeOwn, still };
  const made = it.steps.length;
  await action.act(cell);
  const after = await native.get();
  const meant = action.meant?.(contentOf(before), side) ?? contentOf(before);
  const lost = differences(judged(meant, action), judged(contentOf(after), action));
  const steps = it.steps.slice(made);
  const seen = await client.get();
  return {
    lost,
    refused: refusedIn(steps),
    churns: [...churns, ...(await churnOf(client)), ...(await churnOf(native))],
    carriersNamed: namedIn([after, seen], steps),
  };
}

async function bringToLife(native: ClientAt, { content, labels }: Side): Promise<void> {
  const { status, ...rest } = content;
  const metadata = labels === undefined ? {} : { metadata: { labels } };
  const created = await native.create(native.file({ ...rest, ...metadata }));
  if (created.status !== 201) throw new Error(`the object is refused: ${created.text}`);
  if (status === undefined || !isObject(created.body)) return;
  const put = await native.putStatus({ ...created.body, status });
  if (put.status !== 200) throw new Error(`its status is refused: ${put.text}`);
  const read = contentOf(await native.get());
  const faults = differences({ ...read, ...content, spec: { ...specOf(read), ...specOf(content) } }, read);
  if (faults.length > 0) throw new Error(`the object is not as it was made: ${faults.join("; ")}`);
}

function judged(content: JsonObject, { judged }: Action): JsonObject {
  return judged === "spec" ? { spec: content.spec ?? {} } : content;
}

async function churnOf(client: ClientAt): Promise<readonly string[]> {
  const before = await client.get();
  await client.put(before);
  const after = await client.get();
  return versionOf(before) === versionOf(after) ? [] : [`an unchanged PUT at ${client.version} writes`];
}

function refusedIn(steps: readonly Step[]): readonly string[] {
  const refused = steps.filter(({ status }) => status >= 300);
  return refused.map(({ status, what, text }) => `${status} ${what}: ${text}`);
}

function namedIn(objects: readonly JsonObject[], steps: readonly Step[]): readonly string[] {
  const refused = steps.filter(({ status }) => status >= 300);
  return [
    ...new Set([
      ...objects.flatMap((each) => carriersIn(metadataOf(each).managedFields, "managedFields")),
      ...refused.flatMap(({ what, text }) => carriersIn(text, what)),
    ]),
  ];
}

function carriersIn(value: Json | undefined, where: string): readonly string[] {
  return /conversion-?data/i.test(JSON.stringify(value) ?? "") ? [where] : [];
}

function versionOf(object: JsonObject): string {
  return String(metadataOf(object).resourceVersion);
}

function specOf(content: JsonObject): JsonObject {
  return isObject(content.spec) ? content.spec : {};
}

/** Tries a case of server-side apply; the other client applies as well, or PUTs. */
export async function tryApplier(
  home: Home,
  namespace: string,
  name: string,
  applier: ApplierCase,
  other: "applies" | "PUTs",
): Promise<Finding> {
  const it = subject(home, applier.names, namespace, name);
  const applied = Object.keys(applier.later).length > 0 ? { spec: applier.later } : {};
  const [here, there] = [
    it.at(applier.version),
    it.at(applier.others ?? (applier.version === "v1" ? "v1beta1" : "v1")),
  ];
  await here.apply("applier", { spec: applier.first });
  if (other === "applies") await there.apply("other", { spec: applier.other });
  else await putMore(there, applier.other);
  if (applier.also !== undefined) await putMore(here, applier.also);
  const apply = () => here.apply("applier", applied, applier.force === undefined ? {} : { force: "force" });
  await apply();
  const [seenHere, seenThere] = [await here.get(), await there.get()];
  const churns: string[] = [];
  for (const repeat of [
    apply,
    ...(other === "applies" && applier.force === undefined
      ? [() => there.apply("other", { spec: applier.other })]
      : []),
  ]) {
    const before = versionOf(await here.get());
    await repeat();
    if (versionOf(await here.get()) !== before)
      churns.push(`the same again, ${it.steps.at(-1)?.what}, writes`);
  }
  const stays = specOf(contentOf(seenThere));
  return {
    lost: [
      ...differences(applier.meant, specOf(contentOf(seenHere))),
      ...differences({ ...stays, ...applier.stays }, stays),
      ...(applier.force === undefined ? [] : differences(applier.meant, specOf(contentOf(await here.get())))),
    ],
    refused: refusedIn(it.steps),
    churns: [...churns, ...(await churnOf(here)), ...(await churnOf(there))],
    carriersNamed: namedIn([seenHere, seenThere], it.steps),
  };
}

async function putMore(client: ClientAt, more: JsonObject): Promise<void> {
  const object = await client.get();
  await client.put({ ...object, spec: { ...specOf(object), ...more } });
}
