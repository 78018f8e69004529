import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    sequence: { shuffle: true },
    testTimeout: 20_000,
  },
});
