import { isObject, type JsonObject } from "../../json/json.ts";
import type { LifeQuestion, NextStep, ShownLife, ShownStep, ShownView } from "../life/shown.ts";
import { makeEditor } from "./editor.ts";
import { element } from "./elements.ts";
import { Stopped } from "./engine.ts";
import type { Page, Part } from "./page.ts";

/** What clients do to the object, one step after the other, on an API server in the page. */
export const lifePart: Part = { id: "life", title: "What clients do to it", make: makeLife };

/** What of a life stands in the link. */
interface Kept {
  /** JSON of the steps: a number in it may be longer than a double can hold. */
  readonly steps: string;
  /** The step that is shown, from 0. */
  readonly shown: number;
  readonly managers: boolean;
}

const actions = [
  [
    "create",
    "Create",
    "A client creates the object that stands in the field; in an empty field, the one in the pane above.",
  ],
  [
    "read",
    "Read",
    "A client reads the object, and keeps the copy for Create from copy and for the box from the copy that it read.",
  ],
  [
    "replace",
    "Replace",
    "A client reads the object, changes it as the field says, and writes it back whole (PUT).",
  ],
  ["patch", "Patch", "A client sends the field as a JSON merge patch: null removes."],
  [
    "apply",
    "Apply",
    "A client applies the field, and manages these fields from then on (server-side apply).",
  ],
  ["delete", "Delete", "A client deletes the object."],
  [
    "restore",
    "Create from copy",
    "A client creates the object again from the copy that it read, as after Delete.",
  ],
  [
    "release",
    "Release",
    "The version gets the fields that stand in the field, as path: schema. Then it is served.",
  ],
] as const;

const boxes = [
  [
    "without annotations, status, other metadata",
    "Replace and Create from copy leave these out, as a client does that does not know them. Its name and namespace stay.",
  ],
  [
    "from the copy that it read",
    "Replace takes what the client read last in place of what is there now. If that is older, the API server answers 409.",
  ],
  ["with force", "Apply takes fields away from other managers, instead of a conflict."],
  ["at /status", "Replace, Patch and Apply write the status alone."],
] as const;

function makeLife(page: Page) {
  const at = element("select", { "aria-label": "Version of the client", name: "at" });
  const by = element("input", {
    name: "by",
    size: "12",
    placeholder: "client",
    "aria-label": "Name of the client",
  });
  const body = makeEditor("yaml", "What the client writes, as YAML", () => {});
  const flags = {
    annotations: flag("annotations", "without annotations"),
    status: flag("status", "without status"),
    metadata: flag("metadata", "without other metadata"),
    kept: flag("kept", "from the copy that it read"),
    force: flag("force", "with force"),
    endpoint: flag("endpoint", "at /status"),
  };
  const managers = flag("managers", "show managers of fields");
  const plain = element("p", { class: "dropped" }, "Without carriers: the webhook here only maps fields.");
  const strip = element("ol", { class: "strip", "aria-label": "Steps" });
  const answer = element("p", { class: "answer" });
  const fates = element("ul", { class: "fates" });
  const outcome = element("div", { role: "status" }, answer, fates);
  const views = element("div", { class: "views" });
  const fault = element("p", { class: "error", role: "alert", hidden: true });
  const play = element("button", { onclick: () => replay() }, "Play");
  const dom = element(
    "div",
    { class: "life" },
    element(
      "div",
      { class: "client" },
      element("p", {}, "A client of ", at, " named ", by, " writes this, as YAML:"),
      body.dom,
      element("p", { class: "flags" }, ...Object.values(flags).map(({ label }) => label)),
      element(
        "p",
        { class: "actions" },
        ...actions.map(([action, title, what]) =>
          element("button", { title: what, "data-action": action, onclick: () => take(action) }, title),
        ),
      ),
      fault,
      element(
        "details",
        {},
        element("summary", {}, "What the buttons and boxes do"),
        element(
          "dl",
          {},
          ...[...actions.map(([, ...words]) => words), ...boxes].flatMap(([title, what]) => [
            element("dt", {}, title),
            element("dd", {}, what),
          ]),
        ),
      ),
    ),
    plain,
    strip,
    element(
      "p",
      { class: "replay" },
      element("button", { onclick: () => show(kept().shown - 1) }, "Back"),
      element("button", { onclick: () => show(kept().shown + 1) }, "Forward"),
      play,
      element("button", { onclick: removeLast }, "Remove the last step"),
      element("button", { onclick: () => keep({ steps: "", shown: 0 }) }, "Start over"),
      managers.label,
    ),
    outcome,
    views,
  );
  managers.box.addEventListener("change", () => keep({ managers: managers.box.checked }));
  let life: readonly ShownStep[] = [];
  let drawn: { readonly life?: readonly ShownStep[]; readonly shown?: number } = {};
  let asked = "";
  /** The versions of the kind that was asked: another list is another kind, or a change of its files. */
  let versionsAsked: readonly string[] = [];
  /** What this part itself has put into the state; anything else came by a link, and is what its reader should see. */
  let own: JsonObject | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function kept(): Kept {
    const {
      steps,
      shown,
      managers: all,
    } = (page.state().parts.life ?? {}) as Readonly<Record<string, unknown>>;
    return {
      steps: typeof steps === "string" ? steps : "",
      shown: typeof shown === "number" && Number.isSafeInteger(shown) ? Math.max(0, shown) : 0,
      managers: all === true,
    };
  }

  function keep(change: Partial<Kept>): void {
    const life = { ...kept(), ...change };
    own = life;
    page.change({ parts: { ...page.state().parts, life } });
  }

  function show(step: number): void {
    clearTimeout(timer);
    keep({ shown: Math.min(Math.max(0, step), Math.max(0, life.length - 1)) });
  }

  /** Shows one step after the other, from the first. */
  function replay(): void {
    const next = (step: number) => {
      show(step);
      if (step + 1 < life.length) timer = setTimeout(() => next(step + 1), 1200);
    };
    next(0);
  }

  /** Steps are JSON with exact numbers, of which the worker knows: it takes the last one away too. */
  function removeLast(): void {
    ask({ ...question(), shorter: true }, life.length - 2);
  }

  function take(action: string): void {
    const whole = action === "create" && body.text().trim() === "";
    const pane = whole ? page.panes().find(({ version }) => version === at.value) : undefined;
    const next: NextStep = {
      action,
      at: at.value,
      by: by.value.trim(),
      body: pane?.text ?? body.text(),
      status: flags.endpoint.box.checked,
      kept: flags.kept.box.checked,
      force: flags.force.box.checked,
      without: (["annotations", "status", "metadata"] as const).filter((part) => flags[part].box.checked),
    };
    ask({ ...question(), next }, life.length);
  }

  function question(): LifeQuestion {
    const { steps, managers: all } = kept();
    const { stored, plain } = page.state();
    return { steps, stored, managers: all, plain };
  }

  async function ask(wanted: LifeQuestion, shown?: number): Promise<void> {
    asked = JSON.stringify(wanted);
    versionsAsked = page.versions();
    dom.dataset.state = "working";
    try {
      const found = await page.engine().ask<ShownLife>("life", wanted);
      fault.hidden = !("fault" in found);
      if ("fault" in found) fault.textContent = found.fault;
      else {
        life = found.shown;
        asked = JSON.stringify({ ...question(), steps: found.steps });
        if (shown !== undefined) keep({ steps: found.steps, shown: Math.max(0, shown) });
        draw();
      }
    } catch (error) {
      if (!(error instanceof Stopped)) {
        fault.hidden = false;
        fault.textContent = error instanceof Error ? error.message : String(error);
      }
    }
    dom.dataset.state = "settled";
  }

  function update(): void {
    const versions = page.versions();
    if ([...at.options].map(({ value }) => value).join() !== versions.join()) {
      at.replaceChildren(...versions.map((version) => element("option", { value: version }, version)));
      // Of another version the object in the panes has less, and would be created so.
      at.value = page.state().at;
    }
    managers.box.checked = kept().managers;
    plain.hidden = !page.state().plain;
    if (versions.length === 0) return;
    const { life: linked } = page.state().parts;
    if (isObject(linked) && linked !== own) {
      own = linked;
      document.getElementById(`tab-${lifePart.id}`)?.click();
    }
    const isAsked = versionsAsked === versions && asked === JSON.stringify(question());
    if (isAsked) draw();
    else ask(question());
  }

  /** At each key in a pane nothing of it changes, and screen readers would read it again. */
  function draw(): void {
    const { shown } = kept();
    if (drawn.life === life && drawn.shown === shown) return;
    drawn = { life, shown };
    const step = life[Math.min(shown, life.length - 1)];
    strip.replaceChildren(...life.map((each, index) => item(each, index, each === step)));
    answer.textContent =
      step === undefined
        ? "Nothing was done yet. Press Create: with an empty field, it creates the object in the pane above."
        : answerOf(step);
    answer.className = step !== undefined && step.code >= 300 ? "answer error" : "answer";
    fates.replaceChildren(...(step === undefined ? [] : fatesOf(step)));
    views.replaceChildren(...(step === undefined ? [] : viewsOf(step)));
  }

  function item({ sentence, code, lost }: ShownStep, index: number, isShown: boolean): HTMLElement {
    const attributes = { onclick: () => show(index), ...(isShown ? { "aria-current": "step" } : {}) };
    const tone = code >= 300 || lost > 0 ? "refused" : "taken";
    return element(
      "li",
      { class: tone },
      element(
        "button",
        attributes,
        `${sentence} `,
        element("b", {}, String(code)),
        lost > 0 ? element("span", { class: "dropped" }, ` ${lost} lost`) : "",
      ),
    );
  }

  return { dom, update };
}

function answerOf({ code, message, warnings }: ShownStep): string {
  const said = warnings.map((warning) => `Warning: ${warning}.`);
  return [`The API server answers ${code}${message === "" ? "" : `: ${message}`}.`, ...said].join(" ");
}

function viewsOf({ views }: ShownStep): readonly HTMLElement[] {
  if (views.length === 0) return [element("p", {}, "There is no object.")];
  return views.map((view) =>
    element(
      "section",
      { class: "view", "data-view": view.version },
      element("h3", {}, view.version),
      linesOf(view),
    ),
  );
}

function linesOf({ parts, version }: ShownView): HTMLElement {
  const tags = { same: "span", added: "mark", removed: "del" } as const;
  const lines = parts.map(({ sort, text }) => element(tags[sort], {}, text));
  return element("pre", { tabindex: "0", "aria-label": `The object at ${version}` }, ...lines);
}

/** What became of values that the client did not see. */
function fatesOf({ fates, hint }: ShownStep): readonly HTMLElement[] {
  return [
    ...(hint === "" ? [] : [element("li", {}, hint)]),
    ...fates.map(({ sort, sentence }) => element("li", { class: sort }, sentence)),
  ];
}

function flag(name: string, title: string) {
  const box = element("input", { type: "checkbox", name });
  return { box, label: element("label", {}, box, ` ${title} `) };
}
