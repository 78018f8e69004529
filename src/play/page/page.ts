import type { Pane } from "../panes.ts";
import type { Example, Files, PlayState } from "../state.ts";
import type { Engine } from "./engine.ts";

/** What a part of the page gets: the state, and what it may do with it. */
export interface Page {
  readonly state: () => PlayState;
  /** Changes the state: panes, parts and the link follow. */
  readonly change: (change: Partial<PlayState>) => void;
  /** The files of the kind: those of its example, and above them those of the state. */
  readonly files: () => Files;
  /** The panes as they were shown last. */
  readonly panes: () => readonly Pane[];
  /** The versions of the kind that was loaded last, oldest first. */
  readonly versions: () => readonly string[];
  /** The worker of the panes. It may be stopped and replaced at any time. */
  readonly engine: () => Engine;
  readonly examples: () => readonly Example[];
  /** A sentence for everyone, read aloud by screen readers. */
  readonly say: (sentence: string) => void;
}

/** A part of the page below the panes, behind a tab. */
export interface Part {
  /** Its tab; `id` is the name of its own entry in `state.parts` too. */
  readonly id: string;
  readonly title: string;
  /** Makes its element, once. */
  readonly make: (page: Page) => {
    readonly dom: HTMLElement;
    /** The state has changed, or the kind was loaded anew. */
    readonly update: () => void;
  };
}
