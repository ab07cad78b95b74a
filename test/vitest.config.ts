import { globSync, readFileSync } from "node:fs";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { testConfig } from "./flow/config.ts";

/** What a test file names that works on the Worker or on its storage. */
const WORKER = /"cloudflare:|\/flow\/|\.\/client\.ts"|\.\/session-lab\.ts"/;

const files = globSync("test/**/*.test.ts");
const onWorker = files.filter((file) => file.startsWith("test/flow/") || WORKER.test(readFileSync(file, "utf8")));

const plugins = [
  cloudflareTest(async ({ inject }) => ({
    remoteBindings: false,
    wrangler: { configPath: "./wrangler.toml" },
    miniflare: {
      bindings: {
        ISOPOD_TOKEN: "test-token",
        ISOPOD_CONFIG: JSON.stringify(testConfig(inject("modelServer"), inject("botApi"))),
        TELEGRAM_BOT_TOKEN: "7000000001:flow",
        TELEGRAM_WEBHOOK_SECRET: "flow-webhook-secret",
        TEST_MIGRATIONS: await readD1Migrations("migrations/d1"),
      },
    },
  })),
];

export default defineConfig({
  test: {
    globalSetup: ["test/fakes/setup.ts"],
    projects: [
      // Rules alone share one workerd, which spares each file its start.
      {
        extends: true,
        plugins,
        test: { name: "rules", include: files.filter((file) => !onWorker.includes(file)), isolate: false },
      },
      { extends: true, plugins, test: { name: "worker", include: onWorker, setupFiles: ["test/flow/migrate.ts"] } },
    ],
    // A slow machine is no failure: nothing here measures time.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
