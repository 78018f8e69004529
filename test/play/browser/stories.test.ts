import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { parseJson, writeJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, textAt } from "../../../src/json/json.ts";
import { loadKinds } from "../../../src/kind/load-kinds.ts";
import type { Step } from "../../../src/play/life/steps.ts";
import { filesOfKind } from "../../../src/play/page-file.ts";
import { type PlayState, writeLink } from "../../../src/play/state.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { outcomesOf, recordingOf, type Story, stories, storyKinds, type Taken, textOf } from "../stories.ts";
import { describeInChromium, settled } from "./chromium.ts";

const kinds = await loadKinds(storyKinds);

describeInChromium("stories, clicked through", (open) => {
  // One page for all: opening it takes longer than most stories.
  let shared: ReturnType<typeof open> | undefined;
  async function visit(fragment: string) {
    if (shared === undefined) shared = open({ fragment });
    else await (await shared).page.evaluate((hash) => location.assign(`#${hash}`), fragment);
    const opened = await shared;
    await opened.page.getByRole("button", { name: "Run it" }).click();
    await settled(opened.page);
    return opened;
  }

  it.each(stories.map((story) => [story.name, story.title, story] as const))(
    "%s: %s",
    async (_name, _title, story) => {
      const { page, requests, errors } = await visit(linkOf(story));
      const recorded = parseJson(readFileSync(recordingOf(story), "utf8"));
      const taken: Taken[] = [];
      for (const [index, step] of story.steps.entries()) {
        await take(page, step);
        const outcome = isArray(recorded) ? recorded[index] : undefined;
        expect(await page.locator(".answer").textContent()).toBe(answerOf(outcome));
        taken.push({ code: Number(get(outcome, "code")), ...saidIn(outcome), views: await viewsOf(page) });
      }
      expect(textOf(outcomesOf(taken))).toBe(readFileSync(recordingOf(story), "utf8"));
      expect([...requests, ...errors]).toEqual([]);
    },
  );

  it.each(stories.filter(({ docs }) => docs !== undefined).map((story) => [story.name, story] as const))(
    "%s opens from its page, and nothing has to be trusted",
    async (name, story) => {
      const text = readFileSync(story.docs ?? "", "utf8");
      const [, fragment = ""] = new RegExp(`4180/#([^ )]*) "${name}"`).exec(text) ?? [];
      const { page } = await open({ fragment });
      await page
        .locator(".strip li")
        .nth(story.steps.length - 1)
        .waitFor();
      const codes = await page.locator(".strip b").allTextContents();
      const recorded = parseJson(readFileSync(recordingOf(story), "utf8"));
      expect(codes).toEqual((isArray(recorded) ? recorded : []).map((each) => String(get(each, "code"))));
      await page.close();
    },
  );

  it("stand in the link: who opens it sees the same step, and can take another", async () => {
    const [story] = stories;
    if (story === undefined) throw new Error("there is no story");
    const { page } = await open({
      fragment: linkOf(story, { steps: writeJson(story.steps as unknown as Json), shown: 1 }),
    });
    await page.getByRole("button", { name: "Run it" }).click();
    await settled(page);
    await page.locator(".strip li").nth(2).waitFor();
    expect(await page.locator('.strip [aria-current="step"]').textContent()).toContain(
      "v1beta1: replace without annotations, status",
    );
    await page.getByRole("button", { name: "Forward" }).click();
    await page.locator('.strip li:nth-child(3) [aria-current="step"]').waitFor();
    await page.getByRole("button", { name: "Remove the last step" }).click();
    await page.locator(".strip li").nth(2).waitFor({ state: "detached" });
    expect(await page.locator(".strip li").count()).toBe(2);
  });

  it("in a link that somebody made up, steps are told what is wrong with them", async () => {
    const [story] = stories;
    if (story === undefined) throw new Error("there is no story");
    const { page, errors } = await open({
      fragment: linkOf(story, { steps: '[{"replace":{"at":7}}]', shown: "<b>" }),
    });
    await page.getByRole("button", { name: "Run it" }).click();
    await page.locator(".life .error:not([hidden])").waitFor();
    expect(await page.locator(".life .error").first().textContent()).toBe(
      "step 1: at of replace must be a text",
    );
    expect(errors).toEqual([]);
  });
});

function linkOf({ kind, steps }: Story, life: JsonObject = {}): string {
  const found = kinds.all.find(({ name }) => name === kind);
  if (found === undefined) throw new Error(`there is no kind ${kind}`);
  const first = steps[0];
  const at = found.versions[0]?.name ?? "";
  const text = first !== undefined && "create" in first ? writeJson(first.create.object) : "";
  const parts = { life: { steps: "", shown: 0, managers: true, ...life } };
  const state: PlayState = {
    kind: "",
    files: filesOfKind(found.folder),
    at,
    text,
    read: "",
    stored: true,
    plain: false,
    parts,
  };
  return writeLink(state);
}

/** Takes a step by the buttons and fields of the page. */
async function take(page: Page, step: Step): Promise<void> {
  const [action = "", details] = Object.entries(step)[0] ?? [];
  const given: JsonObject = isObject(details as Json) ? (details as JsonObject) : {};
  const at =
    action === "create" ? textAt(given, "object", "apiVersion").split("/").at(-1) : textAt(given, "at");
  await page.locator('.life select[name="at"]').selectOption(at ?? "");
  await page.locator('.life input[name="by"]').fill(textAt(given, "by"));
  const without = isArray(given.without) ? given.without : [];
  const flags = {
    annotations: without.includes("annotations"),
    status: without.includes("status"),
    metadata: without.includes("metadata"),
    kept: given.kept === true,
    force: given.force === true,
    endpoint: given.status === true,
  };
  for (const [name, isSet] of Object.entries(flags))
    await page.locator(`.life input[name="${name}"]`).setChecked(isSet);
  await page.locator(".life .cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(
    writeJson(given.object ?? given.change ?? given.patch ?? given.fields ?? {}),
  );
  const before = await page.locator(".strip li").count();
  await page.locator(`.life button[data-action="${action}"]`).click();
  await page.locator(".strip li").nth(before).waitFor();
  await page.waitForFunction(() => document.querySelector<HTMLElement>(".life")?.dataset.state === "settled");
}

async function viewsOf(page: Page): Promise<Readonly<Record<string, JsonObject>>> {
  const texts = await page.locator(".view").evaluateAll((views) =>
    views.map(
      (view) =>
        [
          view.getAttribute("data-view") ?? "",
          // What went is shown crossed out.
          [...view.querySelectorAll("pre :not(del)")].map((part) => part.textContent).join(""),
        ] as const,
    ),
  );
  return Object.fromEntries(
    texts.flatMap(([version, text]) => {
      const value = readYaml(text)[0]?.value;
      return isObject(value) ? [[version, value] as const] : [];
    }),
  );
}

function saidIn(outcome: Json | undefined): Pick<Taken, "message" | "warnings"> {
  const message = textAt(outcome, "message");
  const warnings = get(outcome, "warnings");
  return {
    ...(message === "" ? {} : { message }),
    warnings: (isArray(warnings) ? warnings : []).map(String),
  };
}

function answerOf(outcome: Json | undefined): string {
  const { message, warnings } = saidIn(outcome);
  const first = `The API server answers ${get(outcome, "code")}${message === undefined ? "" : `: ${message}`}.`;
  return [first, ...warnings.map((warning) => `Warning: ${warning}.`)].join(" ");
}
