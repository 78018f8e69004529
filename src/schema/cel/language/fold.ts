import type { Expr, Fold, Macro } from "./ast.ts";
import { Entries, Items } from "./collections.ts";
import { charge, type Frame, listBase, type Plan, type Planner, type Run } from "./frame.ts";
import { goTypeOf, printValue } from "./print.ts";
import { CelError, errorOr, isError, isList, isMap, type Value } from "./values.ts";
import type { Work } from "./work.ts";

/**
 * Plans a comprehension. It runs as the macro that was written, without an accumulator, and costs what the server's steps with
 * the accumulator cost (cel-go interpreter/interpretable.go, evalFold).
 */
export function planFold(fold: Fold, planner: Planner): Plan {
  const { macro } = fold;
  if (macro.kind === "bind") return planBind(fold, planner);
  const range = planner.plan(fold.range).run;
  const [first, second] = [planner.newSlot(), planner.newSlot()];
  const { iterVar2 } = fold;
  const inScope = (expr: Expr): Run => {
    const plan = () => planner.plan(expr);
    const inner = iterVar2 === undefined ? plan : () => planner.within(iterVar2, slot(second), plan);
    return planner.within(fold.iterVar, slot(first), inner).run;
  };
  const step = stepOf(macro, inScope, slot(first));
  if (iterVar2 === undefined) {
    return looped(range, singlesOf, step, (frame, item) => {
      frame.slots[first] = item;
    });
  }
  return looped(range, pairsOf, step, (frame, [key, value]) => {
    frame.slots[first] = key;
    frame.slots[second] = value;
  });
}

function looped<T>(
  range: Run,
  itemsOf: (over: Value, work: Work) => Iterable<T> | CelError,
  step: Step,
  enter: (frame: Frame, item: T) => void,
): Plan {
  return {
    run: (frame) => {
      const over = range(frame);
      if (isError(over)) return over;
      const items = itemsOf(over, frame.work);
      if (items instanceof CelError) return items;
      const state = step.begin();
      for (const item of items) {
        charge(frame, step.ahead);
        if (state.done) break;
        enter(frame, item);
        state.next(frame);
      }
      charge(frame, step.after);
      return state.result();
    },
  };
}

const slot =
  (index: number): Run =>
  (frame) =>
    frame.slots[index] as Value;

/** The state of a comprehension; `done` once nothing can change its result. */
interface State {
  readonly done: boolean;
  readonly next: (frame: Frame) => void;
  readonly result: () => Value;
}

interface Step {
  /** The cost of the loop condition, per item; and that of the result, once. */
  readonly ahead: number;
  readonly after: number;
  readonly begin: () => State;
}

function stepOf(macro: Exclude<Macro, { kind: "bind" }>, inScope: (expr: Expr) => Run, key: Run): Step {
  switch (macro.kind) {
    case "all":
    case "exists": {
      const predicate = inScope(macro.predicate);
      const decisive = macro.kind === "exists";
      return { ahead: decisive ? 3 : 2, after: 1, begin: () => new Quantifier(predicate, decisive) };
    }
    case "existsOne": {
      const predicate = inScope(macro.predicate);
      return { ahead: 0, after: 2, begin: () => new Counter(predicate) };
    }
  }
  const filter = macro.filter && inScope(macro.filter);
  if (macro.kind === "map") {
    const transform = inScope(macro.transform);
    return { ahead: 0, after: 1, begin: () => new Collector(filter, transform) };
  }
  if (macro.kind === "insert") {
    const value = inScope(macro.value);
    return { ahead: 0, after: 1, begin: () => new Inserter(filter, (frame) => insertion(frame, key, value)) };
  }
  const entry = inScope(macro.entry);
  return { ahead: 0, after: 1, begin: () => new Inserter(filter, (frame) => merger(frame, entry)) };
}

/** `all` and `exists`: an error counts only where no item decides. */
class Quantifier implements State {
  done = false;
  #fault: CelError | undefined;
  readonly #predicate: Run;
  readonly #decisive: boolean;

  constructor(predicate: Run, decisive: boolean) {
    this.#predicate = predicate;
    this.#decisive = decisive;
  }

  next(frame: Frame): void {
    charge(frame, 1);
    const value = this.#predicate(frame);
    if (value === this.#decisive) this.done = true;
    else if (typeof value !== "boolean") this.#fault ??= errorOr(value);
  }

  result(): Value {
    return this.done ? this.#decisive : (this.#fault ?? !this.#decisive);
  }
}

/** `exists_one`: every error counts. */
class Counter implements State {
  readonly done = false;
  #count = 0;
  #fault: CelError | undefined;
  readonly #predicate: Run;

  constructor(predicate: Run) {
    this.#predicate = predicate;
  }

  next(frame: Frame): void {
    const value = this.#predicate(frame);
    if (value === true) {
      charge(frame, 2);
      this.#count++;
    } else if (value !== false) this.#fault = errorOr(value);
  }

  result(): Value {
    return this.#fault ?? this.#count === 1;
  }
}

/** Whether an item passes a filter; anything but true or false is the comprehension's error. */
function passes(filter: Run | undefined, frame: Frame): boolean | CelError {
  if (filter === undefined) return true;
  const value = filter(frame);
  return typeof value === "boolean" ? value : errorOr(value);
}

class Collector implements State {
  readonly done = false;
  readonly #items: Value[] = [];
  #fault: CelError | undefined;
  readonly #filter: Run | undefined;
  readonly #transform: Run;

  constructor(filter: Run | undefined, transform: Run) {
    this.#filter = filter;
    this.#transform = transform;
  }

  next(frame: Frame): void {
    const passed = passes(this.#filter, frame);
    if (typeof passed !== "boolean") this.#fault = passed;
    if (passed !== true) return;
    // accu + [item]: a name, a list, an addition
    const value = this.#transform(frame);
    charge(frame, 2 + listBase);
    if (isError(value)) this.#fault ??= value;
    else this.#items.push(value);
  }

  result(): Value {
    return this.#fault ?? new Items(this.#items);
  }
}

type Entry = readonly [Value, Value];

class Inserter implements State {
  readonly done = false;
  readonly #entries = new Map<string, Entry>();
  #fault: CelError | undefined;
  readonly #filter: Run | undefined;
  readonly #entriesOf: (frame: Frame) => readonly Entry[] | CelError;

  constructor(filter: Run | undefined, entriesOf: (frame: Frame) => readonly Entry[] | CelError) {
    this.#filter = filter;
    this.#entriesOf = entriesOf;
  }

  next(frame: Frame): void {
    const passed = passes(this.#filter, frame);
    if (typeof passed !== "boolean") this.#fault = passed;
    if (passed !== true) return;
    const added = this.#entriesOf(frame);
    if (added instanceof CelError) this.#fault ??= added;
    else for (const entry of added) this.#insert(entry, frame.work);
  }

  result(): Value {
    return this.#fault ?? new Entries(this.#entries);
  }

  #insert([key, value]: Entry, work: Work): void {
    const text = Entries.keyOf(key);
    if (this.#entries.has(text)) {
      this.#fault ??= new CelError(`insert failed: key ${printValue(key, work)} already exists`);
    } else this.#entries.set(text, [key, value]);
  }
}

function insertion(frame: Frame, key: Run, value: Run): readonly Entry[] | CelError {
  const made = value(frame);
  charge(frame, 3);
  return isError(made) ? made : [[key(frame), made]];
}

function merger(frame: Frame, entry: Run): readonly Entry[] | CelError {
  const made = entry(frame);
  charge(frame, 2);
  if (!isMap(made)) return errorOr(made);
  return made.keys(frame.work).map((key) => [key, made.find(key) ?? null] as const);
}

function* singles(list: { readonly size: number; readonly get: (index: number) => Value }): Iterable<Value> {
  for (let index = 0; index < list.size; index++) yield list.get(index);
}

function singlesOf(over: Value, work: Work): Iterable<Value> | CelError {
  if (isList(over)) return singles(over);
  return isMap(over) ? over.keys(work) : new CelError(`got '${goTypeOf(over)}', expected iterable type`);
}

function pairsOf(over: Value, work: Work): Iterable<Entry> | CelError {
  if (isList(over)) return numbered(over);
  if (!isMap(over)) return new CelError(`unsupported comprehension range type: ${goTypeOf(over)}`);
  return over.keys(work).map((key) => [key, over.find(key) ?? null] as const);
}

function* numbered(list: { readonly size: number; readonly get: (index: number) => Value }): Iterable<Entry> {
  for (let index = 0; index < list.size; index++) yield [BigInt(index), list.get(index)];
}

/** A name for a value that is computed on first use. */
function planBind(fold: Fold, planner: Planner): Plan {
  const init = planner.plan(fold.init).run;
  const at = planner.newSlot();
  const read: Run = (frame) => {
    const known = frame.slots[at];
    if (known !== undefined) return known;
    const value = init(frame);
    frame.slots[at] = value;
    return value;
  };
  const body = planner.within(fold.accuVar, read, () => planner.plan(fold.result)).run;
  return {
    run: (frame) => {
      frame.slots[at] = undefined;
      return body(frame);
    },
  };
}
