import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { testConfig } from "./flow/config.ts";

export default defineConfig({
  plugins: [
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
  ],
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/fakes/setup.ts"],
    setupFiles: ["test/flow/migrate.ts"],
    // A slow machine is no failure: nothing here measures time.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
