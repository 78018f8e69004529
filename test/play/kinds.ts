import { runInThisContext } from "node:vm";
import * as examples from "../../examples/play/gallery.ts";
import * as apimachinery from "../../src/apimachinery/index.ts";
import * as go from "../../src/go/index.ts";
import * as antechamber from "../../src/index.ts";
import * as json from "../../src/json/index.ts";
import { type LoadedKind, loadFiles } from "../../src/play/folder.ts";
import { type Example, type PlayState, stateOf } from "../../src/play/state.ts";

/** The examples of the page. */
export const gallery: readonly Example[] = examples.gallery();

/** What files of a kind may import. */
export const packages = {
  antechamber,
  "antechamber/apimachinery": apimachinery,
  "antechamber/go": go,
  "antechamber/json": json,
};

/** Loads the files of a kind as the worker does. */
export function load(files: Example["files"]): ReturnType<typeof loadFiles> {
  return loadFiles(files, packages, (code) => {
    runInThisContext(code, { filename: "blob:kind" });
  });
}

/** The example of the page with an id, loaded, and the state that shows it. */
export function example(id: string): { readonly loaded: LoadedKind; readonly state: PlayState } {
  const found = gallery.find((each) => each.id === id);
  if (found === undefined) throw new Error(`there is no example ${id}`);
  const loaded = load(found.files);
  if ("faults" in loaded) throw new Error(JSON.stringify(loaded.faults));
  return { loaded, state: stateOf(found) };
}
