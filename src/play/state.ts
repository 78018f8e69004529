import { deflated, inflated } from "../conversion/platform.ts";
import { isArray, isObject, type Json, type JsonObject, textAt } from "../json/json.ts";

/** The files of a kind's folder by their paths relative to it: `kind.ts`, `v1.yaml`, `../percent.ts`. */
export type Files = Readonly<Record<string, string>>;

/** A kind to play with, and an object to begin with. */
export interface Example {
  /** Stands in links, so it never changes. */
  readonly id: string;
  readonly title: string;
  /** What to look at, in a sentence or two. */
  readonly about: string;
  readonly files: Files;
  /** The version of the object. */
  readonly at: string;
  /** The object as YAML. */
  readonly text: string;
}

/** All that a page shows, as its link holds it. */
export interface PlayState {
  /** The example that the kind comes from; empty for a kind of one's own. */
  readonly kind: string;
  /** The files of the kind that are not as in the example. */
  readonly files: Files;
  /** The version in whose pane was written last. */
  readonly at: string;
  /** What stands in that pane. */
  readonly text: string;
  /** The object that its client had read before, with its carriers, as JSON; empty if it made the object. */
  readonly read: string;
  /** Whether the panes show the carriers as they are stored. */
  readonly stored: boolean;
  /** Whether there are no carriers, as with a webhook that only maps fields. */
  readonly plain: boolean;
  /** What other parts of the page keep in the link, each under its own name. */
  readonly parts: JsonObject;
}

/** The state of a page that shows an example. */
export function stateOf({ id, at, text }: Example): PlayState {
  return { kind: id, files: {}, at, text, read: "", stored: false, plain: false, parts: {} };
}

/** Links are written by anyone: what is larger than this is not read. In characters of a fragment, and bytes of a state. */
export const mostFragment = 512 * 1024;
const mostState = 4 * 1024 * 1024;
const mostDepth = 64;

/** Changes when a state is written otherwise. */
const prefix = "1.";

/** A state as the fragment of a link, without the `#`. */
export function writeLink(state: PlayState): string {
  const text = deflated(JSON.stringify(state));
  return prefix + text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The state in the fragment of a link, or why there is none. */
export function readLink(fragment: string): PlayState | { readonly sentence: string } {
  if (fragment.length > mostFragment) return { sentence: "the link is too long to be read" };
  if (!fragment.startsWith(prefix)) return { sentence: "the link was not made by this page" };
  const packed = fragment.slice(prefix.length).replaceAll("-", "+").replaceAll("_", "/");
  const found = inflated(packed, mostState);
  if (found === undefined) return { sentence: "the link is damaged: a part of it may be missing" };
  return stateIn(found.text) ?? { sentence: "the link does not hold a state of this page" };
}

function stateIn(text: string): PlayState | undefined {
  const json = parsed(text);
  if (!isObject(json) || isDeeper(json, mostDepth)) return undefined;
  const { kind, files, at, text: typed, read, stored, plain, parts } = json;
  const texts = [kind, at, typed, read];
  if (!texts.every((each) => typeof each === "string") || !isFiles(files)) return undefined;
  return {
    kind: textAt(json, "kind"),
    files,
    at: textAt(json, "at"),
    text: textAt(json, "text"),
    read: textAt(json, "read"),
    stored: stored === true,
    plain: plain === true,
    parts: isObject(parts) ? parts : {},
  };
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isFiles(value: Json | undefined): value is Files {
  return isObject(value) && Object.values(value).every((each) => typeof each === "string");
}

function isDeeper(value: Json, levels: number): boolean {
  if (!isObject(value) && !isArray(value)) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}
