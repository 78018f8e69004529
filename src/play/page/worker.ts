import * as apimachinery from "../../apimachinery/index.ts";
import * as go from "../../go/index.ts";
import * as kinds from "../../index.ts";
import * as json from "../../json/index.ts";
import type { Json } from "../../json/json.ts";
import { draftedFrom } from "../draft.ts";
import { loadFiles } from "../folder.ts";
import { type LawsQuestion, shownCounterexample, tryLaws } from "../laws/shown.ts";
import { type LifeQuestion, shownLife } from "../life/shown.ts";
import type { FileFault, RunCode } from "../modules.ts";
import { panesOf, rereadOf } from "../panes.ts";
import type { Method, Question, Reply, Session } from "../protocol.ts";
import type { Files, PlayState } from "../state.ts";

// The engine of the page. It runs in a worker of its own: code of kinds has no page to reach, no network, and an end when it
// does not come to one by itself.

const session: Session = {
  loaded: undefined,
  packages: {
    antechamber: kinds,
    "antechamber/apimachinery": apimachinery,
    "antechamber/go": go,
    "antechamber/json": json,
  },
};

const methods: Readonly<Record<string, Method>> = {
  load,
  panes,
  draft: draftedFrom,
  reread,
  life,
  laws,
  counterexample,
};

/** Loads the kind of a page: its versions, or what is wrong with its files. Runs the code of the files. */
function load(
  files: Files,
  session: Session,
):
  | { readonly name: string; readonly versions: readonly string[] }
  | { readonly faults: readonly FileFault[] } {
  const loaded = loadFiles(files, session.packages, runCode);
  if ("faults" in loaded) return loaded;
  session.loaded = loaded;
  return { name: loaded.kind.name, versions: loaded.kind.versions.map(({ name }) => name) };
}

/** What all panes show after a write. */
function panes(state: PlayState, { loaded }: Session) {
  if (loaded === undefined) throw new Error("no kind was loaded");
  return panesOf(loaded, state);
}

/** The steps of clients, on an API server that has the kind. */
function life(question: LifeQuestion, { loaded }: Session) {
  if (loaded === undefined) throw new Error("no kind was loaded");
  return shownLife(question, loaded.kind);
}

/** What the client that wrote reads back. */
function reread({ state, stored }: { state: PlayState; stored: boolean }, { loaded }: Session) {
  return loaded === undefined ? undefined : rereadOf(loaded, state, stored);
}

/** Tries the laws, and tells of each. */
function laws(question: LawsQuestion, { loaded }: Session, tell: (progress: Json) => void) {
  if (loaded === undefined) throw new Error("no kind was loaded");
  return tryLaws(question, loaded.kind, tell);
}

/** A counterexample, from its JSON, as a strip. */
function counterexample(text: string, { loaded }: Session) {
  return loaded && shownCounterexample(text, loaded.kind);
}

/** The policy of the page allows no code from texts but by the address of an object that the page itself made. */
const runCode: RunCode = (code) => {
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  try {
    importScripts(address);
  } finally {
    URL.revokeObjectURL(address);
  }
};

self.addEventListener("message", async ({ data }: MessageEvent<Question>) => {
  const { id, method, argument } = data;
  const reply = (answer: Omit<Extract<Reply, unknown>, "id">) => self.postMessage({ id, ...answer });
  try {
    const call = methods[method];
    if (call === undefined) throw new Error(`the worker has no method ${method}`);
    reply({ result: await call(argument as never, session, (progress) => reply({ progress })) });
  } catch (error) {
    reply({ error: error instanceof Error ? error.message : String(error) });
  }
});
