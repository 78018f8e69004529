import type { FileFault } from "../modules.ts";
import type { Pane } from "../panes.ts";
import { type Example, type Files, type PlayState, readLink, stateOf, writeLink } from "../state.ts";
import { type Engine, Stopped, startEngine } from "./engine.ts";
import type { Page } from "./page.ts";

/** What shows the state. */
interface View {
  /** The panes, after each change; one alone while its text cannot be read. */
  readonly showPanes: (panes: readonly Pane[], state: PlayState) => void;
  /** What is wrong with the files of the kind; nothing while all is well. */
  readonly showFaults: (faults: readonly FileFault[]) => void;
  /** The kind of a name was loaded. */
  readonly showVersions: (versions: readonly string[], kind: string) => void;
  /** Whether code of a link waits until the user runs it. */
  readonly askToRun: (isWaiting: boolean) => void;
  readonly say: (sentence: string) => void;
  /** Whether the engine has still to answer. */
  readonly work: (isWorking: boolean) => void;
  /** The state changed in any way. */
  readonly update: () => void;
}

/** How long the code of a kind may run for one answer before it is stopped, in milliseconds. */
const patience = 10_000;

/** Holds the state of the page, and asks the engine what it means. */
export interface Controller extends Page {
  /** Begins with what the link holds, else with the first example. */
  readonly begin: (fragment: string) => void;
  /** Other examples, such as files that were saved: what is shown of them is shown anew. */
  readonly setExamples: (examples: readonly Example[]) => void;
  /** Runs code that came by a link. */
  readonly trust: () => void;
  /** The whole state as the fragment of a link. */
  readonly link: () => string;
}

export function makeController(given: readonly Example[], view: View): Controller {
  let examples = given;
  let engine: Engine = startEngine();
  let state: PlayState = emptyState;
  let panes: readonly Pane[] = [];
  let versions: readonly string[] = [];
  let isTrusted = true;
  /** Counts the kinds that the page has shown: a change of a file makes another one. The engine has loaded one of them. */
  let kinds = 0;
  let loaded = -1;
  let isBusy = false;
  let isStale = false;

  const files = (): Files => ({
    ...examples.find(({ id }) => id === state.kind)?.files,
    ...state.files,
  });

  function change(part: Partial<PlayState>): void {
    const isOtherKind = part.kind !== undefined || part.files !== undefined;
    state = { ...state, ...part };
    if (isOtherKind) kinds += 1;
    // What was said of the kind before.
    if (isOtherKind) view.say("");
    view.update();
    refresh();
  }

  /** Shows what the state means. Of several changes while the engine works only the last one counts. */
  async function refresh(): Promise<void> {
    if (!isTrusted) return view.askToRun(true);
    isStale = true;
    if (isBusy) return;
    isBusy = true;
    view.work(true);
    while (isStale) {
      isStale = false;
      await refreshOnce();
    }
    isBusy = false;
    view.work(false);
  }

  async function refreshOnce(): Promise<void> {
    const now = state;
    try {
      if (loaded !== kinds && !(await loadKind())) return;
      const answer = await inTime(engine.ask<readonly Pane[]>("panes", now));
      // The kind may have become another one since, whose answer comes.
      if (loaded !== kinds) return;
      panes = answer;
      view.showPanes(panes, now);
    } catch (error) {
      if (error instanceof Stopped) return;
      const sentence = error instanceof Error ? error.message : String(error);
      view.showFaults([{ file: "kind.ts", sentence }]);
    }
  }

  async function loadKind(): Promise<boolean> {
    const wanted = kinds;
    type Answer =
      | { readonly name: string; readonly versions: readonly string[] }
      | { readonly faults: readonly FileFault[] };
    const answer = await inTime(engine.ask<Answer>("load", files()));
    if (wanted !== kinds) return false;
    if ("faults" in answer) {
      view.showFaults(answer.faults);
      return false;
    }
    loaded = wanted;
    versions = answer.versions;
    view.showFaults([]);
    view.showVersions(versions, answer.name);
    return true;
  }

  /** Code without an end is stopped, and a new engine takes over. */
  async function inTime<Result>(answer: Promise<Result>): Promise<Result> {
    await Promise.race([engine.started, answer]);
    const stop = setTimeout(() => {
      engine.stop();
      engine = startEngine();
      loaded = -1;
      view.showFaults([
        {
          file: "kind.ts",
          sentence: `the code of the kind was stopped: it ran for ${patience / 1000} seconds`,
        },
      ]);
    }, patience);
    try {
      return await answer;
    } finally {
      clearTimeout(stop);
    }
  }

  function begin(fragment: string): void {
    const first = firstOf(examples);
    const fresh = first === undefined ? emptyState : stateOf(first);
    const linked = fragment === "" ? fresh : readLink(fragment);
    const next = "sentence" in linked ? fresh : linked;
    isTrusted = !Object.keys(next.files).some((file) => file.endsWith(".ts"));
    view.askToRun(!isTrusted);
    change(next);
    if ("sentence" in linked) view.say(`${linked.sentence}. This is an example instead.`);
  }

  return {
    state: () => state,
    change,
    files,
    panes: () => panes,
    versions: () => versions,
    engine: () => engine,
    examples: () => examples,
    setExamples: (next) => {
      examples = next;
      change({ kind: state.kind });
    },
    say: view.say,
    begin,
    trust: () => {
      isTrusted = true;
      view.askToRun(false);
      refresh();
    },
    link: () => writeLink(state),
  };
}

/**
 * The example to begin with: a kind that a folder and the gallery both have, as the gallery shows it, since its object is there to be
 * read; else the first.
 */
function firstOf(examples: readonly Example[]): Example | undefined {
  const kinds = examples.map(({ files }) => files["kind.ts"]);
  return examples.find((_, index) => kinds.indexOf(kinds[index]) < index) ?? examples[0];
}

const emptyState = stateOf({ id: "", title: "", about: "", files: {}, at: "", text: "" });
