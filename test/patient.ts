import { expect, vi } from "vitest";

/** Files with a test that starts many processes, or draws and shrinks objects for seconds: on a busy machine it takes ten times as long. */
const patient = [
  "test/certs/rotation/laws.test.ts",
  "test/certs/rotation/secret.test.ts",
  "test/cli.test.ts",
  "test/commands/compat.test.ts",
  "test/commands/convert.test.ts",
  "test/commands/migrate.test.ts",
  "test/commands/reports.test.ts",
  "test/commands/unified-diff.test.ts",
  "test/commands/verify-webhook.test.ts",
  "test/commands/verify.test.ts",
  "test/conversion/lens-code.test.ts",
  "test/conversion/written.test.ts",
  "test/deployment/action.test.ts",
  "test/hostile.test.ts",
  "test/import-page.test.ts",
  "test/json/yaml-edit.test.ts",
  "test/json/yaml.test.ts",
  "test/laws/broken.test.ts",
  "test/laws/invalid-images.test.ts",
  "test/laws/laws.test.ts",
  "test/pages.test.ts",
  "test/schema/checked-crd.test.ts",
  "test/schema/laws.test.ts",
  "test/server/body.test.ts",
  "test/server/large.test.ts",
  "test/server/syntax.test.ts",
  "test/webhooks/odd-values.test.ts",
];

const { testPath = "" } = expect.getState();
if (patient.some((file) => testPath.endsWith(`/${file}`)))
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
