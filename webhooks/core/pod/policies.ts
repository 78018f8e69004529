import { get, isArray, isObject, type Json, type JsonObject, own, type Path } from "antechamber";
import { type Requirement, type Selector, selectorOf } from "antechamber/apimachinery";
import {
  annotationFault,
  readValues,
  textFor,
  type ValueRule,
  withValues,
} from "../../injection/policy/values.ts";
import { objectsAt, optionalStringAt, stringAt, stringsAt } from "../../kruise/shared/read.ts";
import type { Clause, Fault } from "./clause.ts";
import type { Content } from "./content.ts";
import type { Indexed, Key } from "./set-index.ts";
import { namesIn, preparedContent } from "./sets.ts";

/** An InjectionPolicy, prepared for matching. */
export interface PreparedPolicy extends Indexed {
  readonly object: JsonObject;
  /** Which pods it matches; all without it. */
  readonly podSelector: ReadSelector | undefined;
  readonly namespaceSelector: ReadSelector | undefined;
  readonly annotations: ReadSelector | undefined;
  readonly includesHostNetwork: boolean;
  readonly ignoredNamespaces: readonly string[];
  readonly switch: Switch;
  readonly never: readonly ReadSelector[];
  readonly always: readonly ReadSelector[];
  /** What it adds to a pod with these annotations. */
  readonly content: (annotations: Json | undefined) => Content | { readonly fault: Fault };
}

/** The keys and values that switch injection on and off, and what decides without them. */
interface Switch {
  readonly label: string | undefined;
  readonly annotation: string | undefined;
  readonly namespaceLabel: string | undefined;
  readonly namespaceAnnotation: string | undefined;
  readonly on: readonly string[];
  readonly off: readonly string[];
  /** `Enabled` or `Disabled`; anything else is illegal, and nothing is injected. */
  readonly default: Json | undefined;
}

/** A selector, or why it cannot be read: it matches nothing then. */
export type ReadSelector = { readonly selector: Selector } | { readonly fault: string };

/** Prepares a v1beta1 InjectionPolicy. Never throws: an unreadable part becomes a fault. */
export function preparePolicy(object: JsonObject): PreparedPolicy {
  const name = stringAt(own(object, "metadata"), "name");
  const spec = own(object, "spec");
  const match = own(spec, "match");
  const podSelector = selectorAt(own(match, "selector"));
  const never = objectsAt(own(spec, "switch"), "never").map(readSelector);
  const always = objectsAt(own(spec, "switch"), "always").map(readSelector);
  const found = switchOf(own(spec, "switch"));
  const boundTo = namesIn(own(match, "namespaceSelector"));
  const selector = podSelector !== undefined && "selector" in podSelector ? podSelector.selector : everything;
  return {
    name,
    object,
    isPaused: get(spec, "paused") === true,
    selector,
    ...(boundTo === undefined ? {} : { boundTo }),
    ...keysOf(found, always),
    podSelector,
    namespaceSelector: selectorAt(own(match, "namespaceSelector")),
    annotations: selectorAt(annotationSelector(own(match, "annotations"))),
    includesHostNetwork: own(match, "hostNetwork") === "Include",
    ignoredNamespaces: listAt(match, "ignoredNamespaces", systemNamespaces),
    switch: found,
    never,
    always,
    content: contents(name, object),
  };
}

// As in the schema, for objects that did not pass an API server.
const systemNamespaces = ["kube-system", "kube-public", "kube-node-lease", "local-path-storage"];

const everything: Selector = { requirements: [], matches: () => true };

function switchOf(value: Json | undefined): Switch {
  const keyAt = (key: string) => optionalStringAt(value, key) || undefined;
  return {
    label: keyAt("label"),
    annotation: keyAt("annotation"),
    namespaceLabel: keyAt("namespaceLabel"),
    namespaceAnnotation: keyAt("namespaceAnnotation"),
    on: listAt(value, "onValues", ["true"]),
    off: listAt(value, "offValues", ["false"]),
    default: isObject(value) ? (own(value, "default") ?? "Disabled") : "Enabled",
  };
}

/**
 * What a pod must have for the policy to concern it, where only a key or a selector can switch it on. Then a pod without any of
 * these never meets the policy, however many policies there are.
 */
function keysOf(found: Switch, always: readonly ReadSelector[]): Pick<Indexed, "oneOf"> {
  const { label, annotation, namespaceLabel, namespaceAnnotation } = found;
  if (found.default !== "Disabled") return {};
  if (namespaceLabel !== undefined || namespaceAnnotation !== undefined) return {};
  const needed = always.map((each) => ("selector" in each ? neededBy(each.selector) : []));
  if (needed.includes(undefined)) return {};
  return {
    oneOf: [
      ...(label === undefined ? [] : [{ map: "labels" as const, key: label }]),
      ...(annotation === undefined ? [] : [{ map: "annotations" as const, key: annotation }]),
      ...needed.flatMap((keys) => keys ?? []),
    ],
  };
}

/** A label that a selector needs; none for an empty one, which matches nothing here; undefined if it needs none. */
function neededBy({ requirements }: Selector): readonly Key[] | undefined {
  if (requirements.length === 0) return [];
  const needed = requirements.find(isNeed);
  return needed && [{ map: "labels", key: needed.key }];
}

function isNeed({ operator }: Requirement): boolean {
  return operator === "In" || operator === "Exists";
}

/** Requirements on annotations, as a selector: reading one does not check the syntax of values, which may be any text. */
function annotationSelector(list: Json | undefined): Json | undefined {
  return isArray(list) && list.length > 0 ? { matchExpressions: list } : undefined;
}

function selectorAt(value: Json | undefined): ReadSelector | undefined {
  return (value ?? undefined) === undefined ? undefined : readSelector(value);
}

function readSelector(value: Json | undefined): ReadSelector {
  const parsed = selectorOf(value);
  return "selector" in parsed ? parsed : { fault: parsed.fault.message };
}

function listAt(value: Json | undefined, key: string, absent: readonly string[]): readonly string[] {
  return isArray(own(value, key)) ? stringsAt(value, key) : absent;
}

// Pods of one workload have the same annotations; more combinations than these are prepared again.
const mostContents = 64;

/** The content for each combination of values, prepared once. */
function contents(name: string, object: JsonObject): PreparedPolicy["content"] {
  const spec = isObject(object.spec) ? object.spec : {};
  const { rules, faults } = readValues(spec);
  const clauseAt = (path: Path): Clause => ({ set: name, kind: "InjectionPolicy", path });
  const [first] = faults;
  if (first !== undefined) {
    const fault = { clause: clauseAt(first.path), message: first.message };
    return () => ({ fault });
  }
  const known = new Map<string, ReturnType<typeof preparedContent>>();
  return (annotations) => {
    const texts = rules.map((rule) => textFor(rule, annotations));
    const key = rules.length === 0 ? "" : JSON.stringify(texts);
    const before = known.get(key);
    if (before !== undefined) return before;
    const wrong = wrongText(rules, texts, clauseAt);
    const given = rules.flatMap((rule, index) => {
      const text = texts[index];
      return text === undefined ? [] : [{ rule, text }];
    });
    const content =
      wrong ??
      preparedContent({ ...object, spec: withValues(spec, given) }, { set: name, kind: "InjectionPolicy" });
    if (known.size >= mostContents) known.clear();
    known.set(key, content);
    return content;
  };
}

function wrongText(
  rules: readonly ValueRule[],
  texts: readonly (string | undefined)[],
  clauseAt: (path: Path) => Clause,
): { readonly fault: Fault } | undefined {
  for (const [index, rule] of rules.entries()) {
    const text = texts[index];
    const message = text === undefined ? undefined : annotationFault(rule, text);
    if (message !== undefined) return { fault: { clause: clauseAt(rule.path), message } };
  }
  return undefined;
}
