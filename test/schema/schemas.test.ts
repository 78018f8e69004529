import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { writeJson } from "../../src/json/exact.ts";
import { get, isArray } from "../../src/json/json.ts";
import { type KubernetesVersion, kubernetesVersions } from "../../src/schema/model/kubernetes-version.ts";
import { readYaml } from "../../src/yaml/yaml.ts";
import { disagreement, readAnswers, readCrdAnswers } from "./schemas-answers.ts";
import { type Case, digestOf, folder, readCases } from "./schemas-cases.ts";
import { engineOf, fastEngineOf, faultsOf } from "./schemas-engine.ts";
import { readOddCrds } from "./schemas-odd.ts";

// Our engine against what a real API server said (test/schema/schemas). test/cluster/suites/schemas.test.ts records and checks it.

const known = readKnown();

const cases = [...readCases("accepted"), ...readCases("projects")];

describe.each(kubernetesVersions)(
  "of the writes recorded from an API server of v%s, the engine says the same",
  (version) => {
    it.each(cases.map((each) => [each.name, each] as const))("%s", (_name, each) => claim(each, version));
  },
);

describe.each(kubernetesVersions)(
  "a CRD that an API server of v%s refuses is refused for the same causes",
  (version) => {
    const answers = readCrdAnswers("refused", version);
    it.each(readOddCrds("refused").map((each) => [each.why, each.crd] as const))("%s", (why, crd) => {
      const causes = new Set(faultsOf(crd, version).map((fault) => writeJson(fault)));
      const recorded = new Set(answers.get(why)?.map((cause) => writeJson(cause)));
      if (known.has(why)) expect(causes).not.toEqual(recorded);
      else expect(causes).toEqual(recorded);
    });
  },
);

describe.each(kubernetesVersions)(
  "a CRD that an API server of v%s takes although it is odd is taken",
  (version) => {
    it.each(readOddCrds("odd").map((each) => [each.why, each.crd] as const))("%s", (_why, crd) => {
      expect(faultsOf(crd, version)).toEqual([]);
    });
  },
);

/** All but the known differences agree, and these differ still: what is mended must be struck off. */
function claim({ crd, writes, answers: file }: Case, version: KubernetesVersion): void {
  const answers = readAnswers(file, writes, version);
  const engine = engineOf(crd, version);
  const fastEngine = fastEngineOf(crd, version);
  const failures: string[] = [];
  for (const write of writes) {
    const digest = digestOf(write);
    const recorded = answers.get(digest);
    const answer = engine(write, recorded?.old);
    expect(fastEngine(write, recorded?.old)).toEqual(answer);
    const why = recorded && disagreement(recorded.answers, answer);
    if (recorded === undefined) failures.push(`${digest} is not recorded: ${writeJson({ ...write })}`);
    else if (why === undefined && known.has(digest))
      failures.push(`${digest} is no known difference any more`);
    else if (why !== undefined && !known.has(digest)) {
      failures.push(`${digest} ${writeJson({ ...write })}\n${why}`);
    }
  }
  const told =
    failures.length > 20 ? [...failures.slice(0, 20), `and ${failures.length - 20} more`] : failures;
  expect(told.join("\n\n")).toBe("");
}

/** The digests and names under test/schema/schemas/known.yaml. */
function readKnown(): ReadonlySet<string> {
  const documents = readYaml(readFileSync(path.join(folder, "known.yaml"), "utf8"));
  const entries = documents.flatMap(({ value }) => (isArray(value) ? value : []));
  return new Set(entries.flatMap((entry) => [get(entry, "differs") ?? []].flat().map(String)));
}
