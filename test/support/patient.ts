import { expect, vi } from "vitest";

/** Files with a test that starts many processes, or draws and shrinks objects for seconds: on a busy machine it takes ten times as long. */
const patient = [
  "test/certs/rotation/laws.test.ts",
  "test/certs/rotation/secret.test.ts",
  "test/checks/webhook/false-alarms.test.ts",
  "test/checks/webhook/large.test.ts",
  "test/checks/webhook/shrink.test.ts",
  "test/cli/cli.test.ts",
  "test/cli/compat.test.ts",
  "test/cli/convert.test.ts",
  "test/cli/migrate.test.ts",
  "test/cli/reports.test.ts",
  "test/cli/unified-diff.test.ts",
  "test/cli/verify-webhook.test.ts",
  "test/cli/verify.test.ts",
  "test/conversion/written.test.ts",
  "test/deployment/action.test.ts",
  "test/guard/gone.test.ts",
  "test/server/hostile/hostile.test.ts",
  "test/repository/import-page.test.ts",
  "test/yaml/yaml-edit.test.ts",
  "test/yaml/yaml.test.ts",
  "test/laws/broken.test.ts",
  "test/laws/faults.test.ts",
  "test/laws/invalid-images.test.ts",
  "test/laws/laws.test.ts",
  "test/repository/pages.test.ts",
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
