import type { Lens } from "../conversion/lens.ts";
import type { FieldSteps } from "../conversion/row-fields.ts";
import { firstItemLists } from "../conversion/sharing.ts";
import { image } from "../conversion/version-chain.ts";
import { get } from "../json/json.ts";
import type { RowFields, Rules } from "../judge/trespasses.ts";
import type { Kind } from "../kind/kind.ts";
import { leafRowsOf } from "./leaf-rows.ts";

/** What a judge knows of a version, for writes at another one: its schema, and which of its fields are mapped together on the way. */
export function rulesOf(
  { versions, chain, definition }: Pick<Kind, "versions" | "chain" | "definition">,
  at: number,
  writer: number,
): Rules {
  const low = Math.min(at, writer);
  const steps = chain.versions.slice(low, Math.max(at, writer)).map(({ lens }) => stepOf(lens));
  const schema = get(versions[at]?.entry, "schema", "openAPIV3Schema");
  const firsts = firstItemLists(chain.versions.slice(low, Math.max(at, writer) + 1));
  const lists = at < writer ? firsts.ofSpoke : firsts.ofHub;
  const listKeys = {
    ...definition.versions[at]?.listKeys,
    ...Object.fromEntries(lists.map((list) => [list, []])),
  };
  const filled = image(versions[writer]?.defaulted({ spec: {}, status: {} }) ?? {}, chain, writer, at);
  // A lens that its author wrote by hand may map any fields together.
  if (steps.includes(undefined)) return { schema, filled, listKeys, groups: [{ here: [[]], there: [[]] }] };
  return { schema, filled, listKeys, groups: groupsOf(steps as readonly Step[], at - low, writer - low) };
}

/** From a version to its next newer neighbour: rows that make other values, and those that move values as they are. */
interface Step {
  readonly maps: readonly Sides[];
  readonly moves: readonly Sides[];
}

interface Sides {
  readonly older: readonly FieldSteps[];
  readonly newer: readonly FieldSteps[];
}

function stepOf(lens: Lens | undefined): Step | undefined {
  if (lens?.rows === undefined) return undefined;
  const rows = leafRowsOf(lens.rows);
  const isMove = ({ row }: (typeof rows)[number]) => row.isSame === true;
  return { maps: rows.filter((row) => !isMove(row)), moves: rows.filter(isMove) };
}

/** Fields that are mapped together, at each version on the way. */
type Group = readonly (readonly FieldSteps[])[];

function groupsOf(steps: readonly Step[], at: number, writer: number): readonly RowFields[] {
  const versions = steps.length + 1;
  const made = steps.flatMap(({ maps }, index) =>
    maps.map(
      ({ older, newer }): Group =>
        Array.from({ length: versions }, (_, version) =>
          version === index ? older : version === index + 1 ? newer : [],
        ),
    ),
  );
  return joined(made.map((group) => carried(group, steps)))
    .map((group) => ({ here: group[at] ?? [], there: group[writer] ?? [] }))
    .filter(({ here }) => here.length > 0);
}

/** A group with where its fields stand at the other versions, as far as no row makes other values of them. */
function carried(group: Group, steps: readonly Step[]): Group {
  const fields = group.map((each) => [...each]);
  const carry = (
    from: number,
    to: number,
    { maps, moves }: Step,
    sides: readonly ["older" | "newer", "older" | "newer"],
  ) => {
    const [source, target] = sides;
    for (const field of fields[from] ?? []) {
      if (maps.some((row) => row[source].some((each) => overlaps(each, field)))) continue;
      const move = moves.find((row) => row[source].some((each) => startsWith(field, each)));
      const [start = [], end = []] = [move?.[source][0], move?.[target][0]];
      const there = move === undefined ? field : [...end, ...field.slice(start.length)];
      if (!fields[to]?.some((each) => overlaps(each, there))) fields[to]?.push(there);
    }
  };
  for (const [index, step] of steps.entries()) carry(index, index + 1, step, ["older", "newer"]);
  for (const [index, step] of [...steps.entries()].reverse())
    carry(index + 1, index, step, ["newer", "older"]);
  return fields;
}

/** Groups that have a field in common, as one each. */
function joined(groups: readonly Group[]): readonly Group[] {
  return groups.reduce<readonly Group[]>((all, group) => {
    const isJoined = (other: Group) =>
      other.some((fields, at) => fields.some((one) => (group[at] ?? []).some((each) => overlaps(one, each))));
    const these = [group, ...all.filter(isJoined)];
    const one = group.map((_, at) => these.flatMap((each) => each[at] ?? []));
    return [...all.filter((other) => !isJoined(other)), one];
  }, []);
}

function startsWith(field: FieldSteps, start: FieldSteps): boolean {
  return start.every((step, index) => field[index] === step);
}

/** Whether one field is the other, or is below it. */
function overlaps(one: FieldSteps, other: FieldSteps): boolean {
  return startsWith(one, other) || startsWith(other, one);
}
