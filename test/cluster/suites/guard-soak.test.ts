import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localSource } from "../../../certs/local.ts";
import { image } from "../../../src/conversion/version-chain.ts";
import { isObject, type JsonObject } from "../../../src/json/json.ts";
import { type Kind, versionIndex } from "../../../src/kind/kind.ts";
import { loadKinds } from "../../../src/kind/load-kinds.ts";
import { crdOf } from "../../../src/manifests/crd.ts";
import { writeYaml } from "../../../src/yaml/yaml.ts";
import { answerTo } from "../../checks/webhook/webhooks.ts";
import { expectNothingFound } from "../../soak/expected.ts";
import { relive } from "../../soak/finding.ts";
import { kindOf, readKnown } from "../../soak/known.ts";
import { newTally, soak } from "../../soak/soak.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { registerGuard, startGuard } from "../guarded.ts";
import { createNamespace, type Home } from "../home.ts";
import { startApiServer } from "../server.ts";

// Random clients of kinds whose lenses a webhook of their own applies, and nothing more: it loses what its lenses cannot say, and
// knows nothing of the guard in front of it. The judge knows the lenses too, so that it can say what each reader should see.
if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("random clients of guarded kinds", claims);

const seconds = Number(process.env.SOAK_SECONDS ?? 0);
const extent = seconds === 0 ? { lives: Number(process.env.SOAK_LIVES ?? 60), seconds: 300 } : { seconds };
const seed = Number(process.env.SOAK_SEED ?? (seconds === 0 ? 1 : process.env.SEED));

function claims(): void {
  let kinds: readonly Kind[];
  let field: Home & { readonly kinds: readonly Kind[] };
  const closing: (() => unknown)[] = [];

  beforeAll(async () => {
    const { all } = await loadKinds(["test/kinds/garden"]);
    kinds = all.filter(
      ({ definition, chain, versions }) =>
        versions.length > 1 &&
        definition.default === undefined &&
        chain.mapped.labels.length + chain.mapped.annotations.length === 0,
    );
    const folder = mkdtempSync(path.join(tmpdir(), "antechamber-guard-soak-"));
    closing.push(() => rmSync(folder, { recursive: true, force: true }));
    const target = await startUpstream(kinds, folder);
    closing.push(target.stop);
    const files = kinds.map((kind) => {
      const file = path.join(folder, `${kind.definition.plural}.yaml`);
      writeFileSync(file, writeYaml(crdOf(kind, { url: "https://localhost" })));
      return file;
    });
    const guard = await startGuard(target, files);
    closing.push(guard.stop);
    const server = await startApiServer();
    closing.push(server.stop);
    await registerGuard(server, guard);
    await createNamespace(server, "soak");
    const home = { service: guard.service, createNamespace: (name: string) => createNamespace(server, name) };
    field = { ...server, ...home, kinds };
  }, 120_000);
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  it.each(readKnown("guarded-mended.yaml").map((each) => [each.why, each] as const))(
    "do not find again: %s",
    async (_why, each) => {
      expect(await relive(field, kindOf(kinds, each), each.life)).toBe("no fault");
    },
    60_000,
  );

  it(
    `lose nothing, and are refused nothing, with seed ${seed}`,
    async () => {
      expect(kinds.length).toBeGreaterThan(1);
      const tally = newTally();
      await soak(field, kinds, {
        ...extent,
        seed,
        end: Date.now() + extent.seconds * 1000,
        known: [],
        tally,
      });
      await expectNothingFound(field, tally, seed);
    },
    extent.seconds * 1000 + 200_000,
  );
}

/** A webhook that applies the lenses of kinds, as one would be written without an engine. */
async function startUpstream(kinds: readonly Kind[], folder: string) {
  const source = await localSource({ now: () => new Date() });
  const pair = source.current();
  const server = createServer({ cert: pair?.certificate, key: pair?.key }, async (request, response) => {
    const text = (await request.toArray()).join("");
    const answer = answerTo(text, (object, desired) => converted(kinds, object, desired));
    response.writeHead(200, { "content-type": "application/json" }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const caFile = path.join(folder, "upstream.crt");
  writeFileSync(caFile, source.authority() ?? "");
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}/convert`,
    caFile,
    stop: () => {
      server.closeAllConnections();
      server.close();
      source.stop();
    },
  };
}

function converted(kinds: readonly Kind[], object: JsonObject, desired: string): JsonObject {
  const kind = kinds.find(({ definition }) => definition.kind === object.kind);
  const [from, to] = [object.apiVersion, desired].map((each) => kind && versionIndex(kind, each));
  if (kind === undefined || from === undefined || to === undefined) throw new Error("unknown version");
  const { apiVersion: _, kind: name, metadata, ...content } = object;
  const shown = image(content, kind.chain, from, to);
  return { apiVersion: desired, kind: name ?? null, metadata: isObject(metadata) ? metadata : {}, ...shown };
}
