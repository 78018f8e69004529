import { kruiseField } from "../../webhooks/openkruise/differences.ts";

/** The fields at which OpenKruise may report a fault of a StatefulSet or BroadcastJob that we report at its own field. */
export function workloadFields(field: string, detail: string): readonly string[] {
  const template = field.replace(/^(spec\.template)\.metadata\.(labels|annotations)/, "$1.$2");
  return [...new Set([field, template])].flatMap((each) => [
    ...kruiseField(each, detail),
    ...rules.flatMap(([pattern, instead, only]) =>
      pattern.test(each) && (only === undefined || only.test(detail)) ? [each.replace(pattern, instead)] : [],
    ),
  ]);
}

const rules: readonly (readonly [pattern: RegExp, instead: string, only?: RegExp])[] = [
  [/^spec\.reserveOrdinals\[\d+\]$/, "spec"],
  [/^spec\.updateStrategy\.type$/, "spec.updateStrategy"],
  [/\.annotations\[(.*)\]$/, ".annotations.$1"],
  [/(\.tolerations\[\d+\])\.value$/, "$1.operator"],
  [/\.host(PID|IPC)$/, ".Host$1", /HostUsers/],
  [/\.shareProcessNamespace$/, ".securityContext.shareProcessNamespace"],
  [/\.namespaces\[\d+\]$/, ".namespace"],
  [/\.matchLabelKeys(\[\d+\])$/, "$1", /matchLabelKeys and labelSelector/],
  [/(\.topologySpreadConstraints\[\d+\])$/, "$1.{topologyKey, whenUnsatisfiable}"],
  [/(\.initContainers)\[\d+\](.*\.hostPort)$/, "$1[0]$2"],
  [/\.sleep\.seconds$/, ".sleep"],
  [/(\.unorderedUpdate\.priorityStrategy)[.[].*$/, "$1"],
];
