import type { LawsQuestion, ShownCounterexample, ShownTrial } from "../laws/shown.ts";
import { element } from "./elements.ts";
import { type Engine, Stopped, startEngine } from "./engine.ts";
import type { Page, Part } from "./page.ts";

/** The laws of conversion, tried on the kind in a worker of their own; a counterexample as a strip. */
export const lawsPart: Part = { id: "laws", title: "Laws", make: makeLaws };

interface Progress {
  readonly done: number;
  readonly of: number;
  readonly trial: ShownTrial;
}

function makeLaws(page: Page) {
  const runs = element(
    "select",
    { "aria-label": "Cases for each claim", name: "runs" },
    ...["20", "100", "1000"].map((each) => element("option", { value: each }, `${each} cases`)),
  );
  const seed = element("input", {
    name: "seed",
    size: "8",
    value: "1",
    inputmode: "numeric",
    "aria-label": "Seed",
  });
  const run = element("button", { name: "run", onclick: () => start() }, "Try the laws");
  const stop = element("button", { name: "stop", disabled: true, onclick: () => end("stopped") }, "Stop");
  const bar = element("progress", { max: "1", value: "0", "aria-label": "Laws tried" });
  const status = element("p", { class: "tried", role: "status" });
  const rows = element("tbody");
  const head = element("tr", {}, ...["law", "version", "cases", ""].map((each) => element("th", {}, each)));
  const table = element("table", { hidden: true }, element("thead", {}, head), rows);
  const strip = element("div", { class: "counterexample" });
  const dom = element(
    "div",
    { class: "laws" },
    element("p", { class: "trying" }, run, runs, element("label", {}, "seed ", seed), stop, bar),
    status,
    strip,
    table,
  );
  let engine: Engine | undefined;
  let shown = "";

  async function start(): Promise<void> {
    end("");
    const own = startEngine();
    engine = own;
    run.disabled = true;
    stop.disabled = false;
    rows.replaceChildren();
    table.hidden = false;
    let broken = 0;
    try {
      const loaded = await own.ask<object>("load", page.files());
      if ("faults" in loaded) return end("the kind has faults: see its files");
      const question: LawsQuestion = { runs: Number(runs.value), seed: Number(seed.value) || 1 };
      await own.ask("laws", question, (progress) => {
        const { done, of, trial } = progress as Progress;
        bar.max = of;
        bar.value = done;
        status.textContent = `${done} of ${of}: ${trial.law}`;
        if (trial.state === "broken") {
          broken += 1;
          rows.prepend(rowOf(trial));
        } else rows.append(rowOf(trial));
      });
      end(broken === 0 ? "No law is broken." : `${broken} ${broken === 1 ? "law is" : "laws are"} broken.`);
    } catch (error) {
      if (!(error instanceof Stopped)) end(error instanceof Error ? error.message : String(error));
    }
  }

  function end(sentence: string): void {
    engine?.stop();
    engine = undefined;
    run.disabled = false;
    stop.disabled = true;
    status.textContent = sentence;
  }

  function rowOf({ law, statement, version, runs: tried, state, counterexample }: ShownTrial): HTMLElement {
    const what = element("td", {}, element("b", {}, law), ` ${statement}`);
    const show = () => page.change({ parts: { ...page.state().parts, laws: { counterexample } } });
    const last = state === "broken" ? element("button", { onclick: show }, "Show the counterexample") : state;
    return element(
      "tr",
      { class: state },
      what,
      ...[version, String(tried), last].map((cell) => element("td", {}, cell)),
    );
  }

  async function update(): Promise<void> {
    const kept = (page.state().parts.laws ?? {}) as Readonly<Record<string, unknown>>;
    const text = typeof kept.counterexample === "string" ? kept.counterexample : "";
    // Before a kind is loaded nothing can be drawn.
    if (text === shown || page.versions().length === 0) return;
    shown = text;
    if (text === "") return strip.replaceChildren();
    const found = await page.engine().ask<ShownCounterexample | undefined>("counterexample", text);
    if (found === undefined) page.say("The link holds no counterexample.");
    else document.getElementById(`tab-${lawsPart.id}`)?.click();
    strip.replaceChildren(...(found === undefined ? [] : drawn(found, page)));
  }

  return { dom, update: () => void update() };
}

function drawn(found: ShownCounterexample, page: Page): readonly HTMLElement[] {
  const { claim, versions, at, text, field, hint, steps, strip } = found;
  const open = () => page.change({ at, text, read: "" });
  return [
    element("p", {}, element("b", {}, claim), ` (${versions}${field === "" ? "" : `, at ${field}`})`),
    ...(hint === "" ? [] : [element("p", {}, hint)]),
    element("ol", {}, ...steps.map((step) => element("li", {}, step))),
    element(
      "div",
      { class: "views" },
      ...strip.map(({ title, text: shown }) =>
        element(
          "section",
          { class: "view" },
          element("h3", {}, title),
          element("pre", { tabindex: "0" }, shown),
        ),
      ),
    ),
    element("p", {}, element("button", { onclick: open }, "Open the object in the panes")),
  ];
}
