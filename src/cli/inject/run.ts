import { diff } from "../../admission/patch.ts";
import type { Cause, Verdict } from "../../admission/verdict.ts";
import { RejectedError, UsageError } from "../../errors.ts";
import { writeJson } from "../../json/exact.ts";
import { get, isObject, type Json, type JsonObject, listAt, textAt } from "../../json/json.ts";
import { fieldOf, type Path } from "../../json/path.ts";
import type { Kinds } from "../../kind/kind.ts";
import { kindsOf, loadOwnKinds } from "../../kind/load-kinds.ts";
import type { NativeKind } from "../../kind/native.ts";
import { type InputText, type PlacedObject, readInput, readTexts } from "../../offline/input.ts";
import { offlineListers } from "../../offline/listers.ts";
import { reviewContextOf } from "../../offline/review-context.ts";
import { mutateNative, nativeKeysOf } from "../../review/native.ts";
import type { AdmissionContext } from "../../review/write.ts";
import { editYaml } from "../../yaml/edit.ts";
import { valuesAfter } from "../changed-text.ts";
import type { ReviewIo } from "../console.ts";
import { kindsIfAny } from "../crd-names.ts";
import { readGates } from "../gates.ts";
import { formatObjects } from "../output.ts";
import { isJob } from "./controller-labels.ts";
import { checkedObjects } from "./given-objects.ts";
import { type FoundPod, podsIn, withPods } from "./pod-templates.ts";
import { withoutDefaults } from "./undo-defaults.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** The options of `antechamber inject`. */
interface InjectOptions {
  /** Pods, objects with pod templates, and others, which stay as they are. */
  readonly file: readonly string[];
  /** SidecarSets, and the Namespaces and ControllerRevisions that they refer to; without any, the examples of the kinds. */
  readonly with?: readonly string[];
  /** The namespace of pods without one. */
  readonly namespace: string;
  readonly explain: boolean;
  readonly webhooks: readonly string[];
  readonly featureGates?: string;
  readonly output: "yaml" | "json" | "patch" | "diff";
}

/** An object before and after injection into its pods. */
interface Injected {
  readonly text: InputText;
  readonly input: PlacedObject;
  readonly object: JsonObject;
  readonly pods: readonly FoundPod[];
  readonly rejections: readonly string[];
}

/**
 * Injects into pods and pod templates what the mutating webhook would inject when the pods are created, without a server, and
 * prints all objects. Throws RejectedError if a pod is rejected; the other objects are still printed.
 */
export async function inject(options: InjectOptions, io: ReviewIo): Promise<void> {
  const kinds = await withInjector(options.webhooks);
  const gates = readGates(options.featureGates ?? "", [...kinds.all, ...kinds.natives]);
  const native = kinds.findNative("", "Pod");
  if (native === undefined) throw new UsageError(`${options.webhooks.join(", ")}: there is no kind Pod`);
  const listed =
    options.with === undefined
      ? kinds.all.flatMap(({ examples }) => examples.map(({ object }) => object))
      : checkedObjects(await readInput(options.with, io), { kinds, gates, ...io });
  const context = reviewContextOf(kinds, offlineListers(listed, kinds, { now: io.now, gates }), gates, io);
  const texts = await readTexts(options.file, io);
  const injector: Injector = { native, context, options, io };
  const results = texts.flatMap((text) => text.objects.map((input) => injected(text, input, injector)));
  if (!results.some(({ pods }) => pods.length > 0)) {
    const files = options.file.join(", ");
    throw new UsageError(`${files}: there is neither a pod nor an object with a pod template`);
  }
  io.print(formatted(texts, results, native, options.output, io.coloured));
  const rejections = results.flatMap((each) => each.rejections);
  if (rejections.length > 0) throw new RejectedError(rejections.join("\n"));
}

/** The kinds of a project, with this package's own ones if the project does not define how pods are injected. */
async function withInjector(folders: readonly string[]): Promise<Kinds> {
  const project = await kindsIfAny(folders);
  if (project.findNative("", "Pod") !== undefined) return project;
  const own = await loadOwnKinds();
  const isNew = ({ name }: { readonly name: string }) => project.all.every((kind) => kind.name !== name);
  return kindsOf([...project.all, ...own.all.filter(isNew)], [...project.natives, ...own.natives]);
}

interface Injector {
  readonly native: NativeKind;
  readonly context: AdmissionContext;
  readonly options: InjectOptions;
  readonly io: ReviewIo;
}

function injected(text: InputText, input: PlacedObject, injector: Injector): Injected {
  const rejections: string[] = [];
  const pods = podsIn(input.value);
  const changed = pods.map(({ path, pod, added }) => {
    const { verdict, after } = injectedPod(pod, input, injector);
    const source = path.length === 0 ? input.source : `${input.source}: ${fieldOf(path)}`;
    report(source, { pod, added }, verdict, injector);
    if (isJob(input.value))
      for (const name of plainContainers(pod, after))
        injector.io.note(`${source}: warning: ${keepsRunning(name)}`);
    const rejection = rejectionOf(verdict);
    if (rejection !== undefined) rejections.push(`${source}: ${rejection}`);
    return { path, pod: after, added };
  });
  const isChanged = changed.some(({ pod }, index) => pod !== pods[index]?.pod);
  return { text, input, object: isChanged ? withPods(input.value, changed) : input.value, pods, rejections };
}

/** The verdict on a pod, and the pod after it, without the defaults that were filled in for the webhook. */
function injectedPod(
  pod: JsonObject,
  { value }: PlacedObject,
  { native, context, options }: Injector,
): { readonly verdict: Verdict; readonly after: JsonObject } {
  const { group, version, kind } = native.definition;
  const filled = native.definition.defaults?.(pod) ?? pod;
  const own = get(value, "metadata", "namespace");
  const request: JsonObject = {
    kind: { group, version, kind },
    operation: "CREATE",
    namespace: typeof own === "string" ? own : options.namespace,
    object: filled,
  };
  const verdict = mutateNative(request, native, context);
  const after = verdict.outcome === "change" ? withoutDefaults(verdict.object, filled, pod) : pod;
  return { verdict, after: isObject(after) ? after : pod };
}

/** Names of the containers that were added and are not sidecars in Kubernetes' sense, which end with the others. */
function plainContainers(before: JsonObject, after: JsonObject): readonly string[] {
  const names = (pod: JsonObject) => listAt(pod, "spec", "containers").map((each) => textAt(each, "name"));
  const own = new Set(names(before));
  return names(after).filter((name) => !own.has(name));
}

function keepsRunning(name: string): string {
  return `container ${name} keeps the Job from completing unless it ends by itself; what runs beside a Job is an init container with restartPolicy: Always`;
}

function report(
  source: string,
  { pod, added }: Pick<FoundPod, "pod" | "added">,
  verdict: Verdict,
  { options, io }: Injector,
): void {
  if (options.explain) {
    const name = get(pod, "metadata", "name") ?? get(pod, "metadata", "generateName") ?? "(no name)";
    io.note(`${source}: ${pod.kind} ${name}`);
    if (added.length > 0)
      io.note(`  labels that its controller adds: ${added.map((key) => labelText(pod, key)).join(", ")}`);
    for (const line of (verdict.explanation?.() ?? "").split("\n")) if (line !== "") io.note(`  ${line}`);
    return;
  }
  for (const warning of verdict.warnings) io.note(`${source}: warning: ${warning}`);
}

function labelText(pod: JsonObject, key: string): string {
  return `${key}=${textAt(pod, "metadata", "labels", key)}`;
}

function rejectionOf(verdict: Verdict): string | undefined {
  if (verdict.outcome === "wait") return `${verdict.reason}; pass it with --with`;
  return verdict.outcome === "deny" ? `rejected: ${verdict.causes.map(sentenceOf).join("; ")}` : undefined;
}

function sentenceOf({ message }: Cause): string {
  return message;
}

function formatted(
  texts: readonly InputText[],
  results: readonly Injected[],
  native: NativeKind,
  output: InjectOptions["output"],
  coloured: boolean,
): string {
  const accepted = results.filter(({ rejections }) => rejections.length === 0);
  switch (output) {
    case "patch":
      return accepted
        .filter(({ pods }) => pods.length > 0)
        .map((each) => `${writeJson(patchOf(each, native))}\n`)
        .join("");
    case "diff":
      return texts
        .map((text) => {
          const after = editYaml(text.text, valuesAfter(text, own(text, accepted)));
          return unifiedDiff(text.file, text.text, after, coloured);
        })
        .join("");
    default:
      return formatObjects(
        accepted.map(({ object }) => object),
        output,
      );
  }
}

/** The JSON Patch of an object; in a pod template the lists have the same keys as in a pod. */
function patchOf({ input, object, pods }: Injected, native: NativeKind): Json {
  const keysInPod = nativeKeysOf(native);
  const keys = (path: Path) => {
    const found = pods.find((each) => each.path.every((step, index) => step === path[index]));
    return found === undefined ? undefined : keysInPod(path.slice(found.path.length));
  };
  return diff(input.value, object, keys).map((operation) => ({ ...operation }));
}

/** The results for the objects of a text. */
function own(text: InputText, results: readonly Injected[]): readonly Injected[] {
  return results.filter((each) => each.text === text);
}
