import { globSync, readFileSync } from "node:fs";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { testConfig, testSecrets } from "./flow/config.ts";

/** What a test file names that works on the Worker or on its storage. */
const WORKER = /"cloudflare:|\/flow\/|\.\/client\.ts"|\.\/session-lab\.ts"/;
/** What one names that counts all objects, or takes the place of a method of the Worker's own classes. */
const ALONE = /listDurableObjectIds|\.prototype\b|replaceVerb/;
/** What one names that says what the model of those answers who name none; there is one of it for all files. */
const DEFAULT_MODEL = /\b(script|asked)\("default"/;

const files = globSync("test/**/*.test.ts").map((path) => ({ path, text: readFileSync(path, "utf8") }));
const pathsOf = (kind: string) => files.filter((file) => kindOf(file) === kind).map(({ path }) => path);

/** Rules alone, the Worker, the Worker in a process of its own, or one after the other. */
function kindOf({ path, text }: { path: string; text: string }): "rules" | "worker" | "alone" | "in-turn" {
  if (!path.startsWith("test/flow/") && !WORKER.test(text)) return "rules";
  if (DEFAULT_MODEL.test(text)) return "in-turn";
  return ALONE.test(text) ? "alone" : "worker";
}

const plugins = [
  cloudflareTest(async ({ inject }) => ({
    remoteBindings: false,
    wrangler: { configPath: "./wrangler.toml" },
    miniflare: {
      bindings: {
        ISOPOD_TOKEN: "test-token",
        ...testSecrets,
        ISOPOD_CONFIG: JSON.stringify(testConfig(inject("modelServer"), inject("botApi"), inject("outside"))),
        TELEGRAM_BOT_TOKEN: "7000000001:flow",
        TELEGRAM_WEBHOOK_SECRET: "flow-webhook-secret",
        TEST_MIGRATIONS: await readD1Migrations("migrations/d1"),
        TEST_MEMORY_MIGRATIONS: await readD1Migrations("migrations/memory"),
      },
    },
  })),
];

const setupFiles = ["test/flow/migrate.ts"];

export default defineConfig({
  test: {
    globalSetup: ["test/fakes/setup.ts"],
    // A workerd of its own costs a file seconds: most share one, which `migrate.ts` empties before each.
    projects: [
      { extends: true, plugins, test: { name: "rules", include: pathsOf("rules"), isolate: false } },
      { extends: true, plugins, test: { name: "worker", include: pathsOf("worker"), isolate: false, setupFiles } },
      { extends: true, plugins, test: { name: "alone", include: pathsOf("alone"), setupFiles } },
      {
        extends: true,
        plugins,
        test: { name: "in-turn", include: pathsOf("in-turn"), maxWorkers: 1, setupFiles, sequence: { groupOrder: 1 } },
      },
    ],
    // A slow machine is no failure: nothing here measures time.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
