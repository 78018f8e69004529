import type { Json } from "../json/json.ts";
import type { LoadedKind } from "./folder.ts";
import type { Packages } from "./modules.ts";

/** What a page asks of its worker: a method by its name, with its argument. */
export interface Question {
  readonly id: number;
  readonly method: string;
  readonly argument: unknown;
}

/** What the worker answers: the result, an error's words, or how far it has come. */
export type Reply = { readonly id: number } & (
  | { readonly result: unknown }
  | { readonly error: string }
  | { readonly progress: unknown }
);

/** What methods of the worker share: the kind that was loaded last. */
export interface Session {
  loaded: LoadedKind | undefined;
  readonly packages: Packages;
}

/** A method of the worker. Its argument and result are plain values; `tell` reports progress. */
export type Method = (argument: never, session: Session, tell: (progress: Json) => void) => unknown;
