import path from "node:path";
import type { Connection } from "../../cluster/api/connection.ts";
import { get, isObject, listAt, objectAt, set, textAt } from "../../json/json.ts";
import type { Example } from "../../play/state.ts";
import { writeYaml } from "../../yaml/yaml.ts";
import { examplesIn } from "../play/examples.ts";
import type { ServedKind } from "./messages.ts";

/** The objects of a kind that the page lists; the others are as near as kubectl. */
const mostObjects = 50;

/** The kinds of an API server as the page shows them, and behind each its objects, as they are stored. */
export async function examplesOf(
  kinds: readonly ServedKind[],
  server: Pick<Connection, "request">,
  io: { readonly folder: string; readonly note: (line: string) => void },
): Promise<readonly Example[]> {
  const folders = kinds.map(({ folder }) => folder);
  const examples = folders.length === 0 ? [] : await examplesIn(folders, io);
  const found = examples.map(async (example) => {
    const kind = kinds.find(({ folder }) => path.resolve(io.folder, example.id) === folder);
    return kind === undefined ? [example] : [example, ...(await objectsOf(kind, example, server))];
  });
  return (await Promise.all(found)).flat();
}

/** The objects of a kind; none while the API server does not list them. */
async function objectsOf(
  { group, plural, served }: ServedKind,
  example: Example,
  server: Pick<Connection, "request">,
): Promise<readonly Example[]> {
  const at = served.at(-1) ?? "";
  const list = `/apis/${group}/${at}/${plural}?limit=${mostObjects}`;
  const { status, body } = await server.request("GET", list);
  if (status !== 200) return [];
  return listAt(body, "items").flatMap((object) => {
    if (!isObject(object)) return [];
    const metadata = set(objectAt(object.metadata), "managedFields", undefined);
    const name = [get(metadata, "namespace"), textAt(metadata, "name")]
      .filter((each) => each !== undefined)
      .join("/");
    const about = `${name}, as the API server has it; reload the page to read it again`;
    const text = writeYaml({ ...object, metadata });
    return [{ ...example, id: `${example.id} ${name}`, title: `${example.title} ${name}`, about, at, text }];
  });
}
