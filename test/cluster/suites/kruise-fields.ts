import { kruiseField } from "../../golden-differences.ts";

/** The fields at which OpenKruise may report a fault of a StatefulSet or BroadcastJob that we report at its own field. */
export function workloadFields(field: string, detail: string): readonly string[] {
  const template = field.replace(/^(spec\.template)\.metadata\.(labels|annotations)/, "$1.$2");
  return [...new Set([field, template])].flatMap((each) => [
    ...kruiseField(each, detail),
    ...rules.flatMap(([pattern, instead]) => (pattern.test(each) ? [each.replace(pattern, instead)] : [])),
  ]);
}

const rules: readonly (readonly [RegExp, string])[] = [
  [/^spec\.reserveOrdinals\[\d+\]$/, "spec"],
  [/^spec\.updateStrategy\.type$/, "spec.updateStrategy"],
  [/(\.unorderedUpdate\.priorityStrategy)[.[].*$/, "$1"],
];
