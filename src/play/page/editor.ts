import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { typescriptLanguage } from "@codemirror/lang-javascript";
import { yamlLanguage } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import {
  Annotation,
  EditorState,
  type Extension,
  RangeSet,
  StateEffect,
  StateField,
  type Text,
} from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  WidgetType,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Problem, Unseen } from "../panes.ts";
import { element } from "./elements.ts";

/** An editor of one text. */
export interface Editor {
  readonly dom: HTMLElement;
  readonly text: () => string;
  /** Replaces the text without telling `changed`, and what is marked in it; where both are the same, nothing moves. */
  readonly show: (text: string, marks?: Marks) => void;
  readonly focus: () => void;
  readonly destroy: () => void;
}

/** Marks changes that do not come from the user. */
const shown = Annotation.define<boolean>();
const decorate = StateEffect.define<DecorationSet>();

const decorations = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (set, transaction) => {
    for (const effect of transaction.effects) if (effect.is(decorate)) return effect.value;
    return set.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Makes an editor. `changed` gets what the user writes. */
export function makeEditor(
  language: "yaml" | "typescript",
  label: string,
  changed: (text: string) => void,
): Editor {
  const view = new EditorView({
    state: EditorState.create({ doc: "", extensions: extensionsFor(language, label, changed) }),
  });
  return {
    dom: view.dom,
    text: () => view.state.doc.toString(),
    show: (text, marks) => show(view, text, marks),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

function extensionsFor(
  language: "yaml" | "typescript",
  label: string,
  changed: (text: string) => void,
): readonly Extension[] {
  return [
    lineNumbers(),
    history(),
    highlightActiveLine(),
    bracketMatching(),
    indentUnit.of("  "),
    // Tab indents; Escape and then Tab leaves the editor, as CodeMirror documents it.
    keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
    // The languages alone: what completes words would take as much room again.
    language === "yaml" ? yamlLanguage : typescriptLanguage,
    syntaxHighlighting(colours),
    decorations,
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
    EditorView.updateListener.of((update) => {
      const isShown = update.transactions.some((each) => each.annotation(shown) === true);
      if (update.docChanged && !isShown) changed(update.state.doc.toString());
    }),
  ];
}

/** Changes only what differs, so that what is the same keeps its place and its selection. */
function show(view: EditorView, text: string, marks: Marks = {}): void {
  const before = view.state.doc.toString();
  const changes = view.state.changes(before === text ? [] : difference(before, text));
  const decorated = decorationsOf(changes.apply(view.state.doc), marks);
  if (before === text && RangeSet.eq([view.state.field(decorations)], [decorated])) return;
  view.dispatch({ changes, effects: decorate.of(decorated), annotations: shown.of(true) });
}

/** The one change that makes one text of another. */
function difference(before: string, text: string) {
  let from = 0;
  while (from < before.length && before[from] === text[from]) from += 1;
  let [end, endAfter] = [before.length, text.length];
  while (end > from && endAfter > from && before[end - 1] === text[endAfter - 1]) {
    end -= 1;
    endAfter -= 1;
  }
  return { from, to: end, insert: text.slice(from, endAfter) };
}

/** A problem underlined from its place to the end of the line; its sentence appears under the pointer, and below the editor. */
function underlined(doc: Text, { line, column, severity, sentence }: Problem) {
  const at = doc.line(Math.min(Math.max(1, line), doc.lines));
  const from = Math.min(at.from + Math.max(0, column - 1), Math.max(at.from, at.to - 1));
  const mark = Decoration.mark({ class: `problem ${severity}`, attributes: { title: sentence } });
  const whole = Decoration.line({ class: `problem-line ${severity}` });
  return [whole.range(at.from), ...(at.to > from ? [mark.range(from, at.to)] : [])];
}

interface Marks {
  readonly problems?: readonly Problem[];
  readonly unseen?: readonly Unseen[];
  readonly returned?: readonly number[];
}

function decorationsOf(doc: Text, { problems = [], unseen = [], returned = [] }: Marks): DecorationSet {
  const lines = returned
    .filter((line) => line <= doc.lines)
    .map((line) => {
      const isFirst = !returned.includes(line - 1);
      return Decoration.line({ class: isFirst ? "returned first" : "returned" }).range(doc.line(line).from);
    });
  const inOrder = unseen.filter(({ line }) => line <= doc.lines).toSorted((a, b) => a.line - b.line);
  const ghosts = inOrder.map((each, index) => {
    const above = inOrder[index - 1];
    const isSame = above?.line === each.line && above.reason === each.reason;
    const widget = new Ghost(each, isSame ? "" : each.reason);
    return Decoration.widget({ widget, block: true, side: 1 }).range(doc.line(each.line).to);
  });
  const faults = problems.flatMap((each) => underlined(doc, each));
  return Decoration.set([...lines, ...ghosts, ...faults], true);
}

/** A value that is not in the text, at the line where it would stand; its reason unless the value above has the same. */
class Ghost extends WidgetType {
  readonly #unseen: Unseen;
  readonly #note: string;
  constructor(unseen: Unseen, note: string) {
    super();
    this.#unseen = unseen;
    this.#note = note;
  }

  override eq(other: Ghost): boolean {
    return this.#key() === other.#key();
  }

  /** A click in it is one in the text, at its line. */
  override ignoreEvent(): boolean {
    return false;
  }

  #key(): string {
    const { sort, indent, text } = this.#unseen;
    return JSON.stringify([sort, indent, text, this.#note]);
  }

  override toDOM(): HTMLElement {
    const { sort, indent, text, reason, place } = this.#unseen;
    const written = element("span", { class: "ghost-text" }, shortened(text.split("\n")).join("\n"));
    written.style.paddingLeft = `${indent}ch`;
    const note = element("span", { class: "ghost-note" }, this.#note === "" ? "" : `— ${this.#note}`);
    return element("div", { class: `ghost ${sort}`, title: `${place}: ${reason}` }, written, note);
  }
}

function shortened(lines: readonly string[]): readonly string[] {
  return lines.length > 12 ? [...lines.slice(0, 11), `  … ${lines.length - 11} more lines`] : lines;
}

// The colours are in the style sheet, one set for light and one for dark.
const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: "t-key" },
  { tag: [tags.string, tags.special(tags.string)], class: "t-string" },
  { tag: [tags.number, tags.bool, tags.null], class: "t-number" },
  { tag: [tags.comment, tags.meta], class: "t-comment" },
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], class: "t-keyword" },
  { tag: [tags.typeName, tags.className], class: "t-type" },
]);
