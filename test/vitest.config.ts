import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [cloudflareTest({ remoteBindings: false, wrangler: { configPath: "./wrangler.toml" } })],
  test: { include: ["test/**/*.test.ts"], globalSetup: ["test/fakes/setup.ts"] },
});
