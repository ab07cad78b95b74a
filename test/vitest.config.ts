import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { startBotApi } from "./fakes/bot-api.ts";
import { dropExpected } from "./fakes/expected-stderr.ts";
import { startModelServer } from "./fakes/model-server.ts";
import { SERVICE_SECRET } from "./fakes/platforms/webhook.ts";
import { channelSecrets, testConfig, testSecrets } from "./flow/config.ts";
import { generatedSecrets } from "./flow/generated-secrets.ts";
import { readWorker } from "./flow/read-worker.ts";

// What workerd prints is printed by this process, and the plugin has no option for it.
dropExpected(process.stdout);
dropExpected(process.stderr);

const worker = await readWorker();

/** The Worker in workerd. Each workerd has its own model provider and Bot API, so that files in two of them do not meet. */
const inWorkerd = cloudflareTest(async ({ inject }) => {
  const [models, botApi] = await Promise.all([startModelServer(), startBotApi()]);
  for (const server of [models, botApi]) server.unref();
  return {
    remoteBindings: false,
    main: worker.main,
    miniflare: {
      ...worker.options,
      bindings: {
        ISOPOD_TOKEN: "test-token",
        ISOPOD_DATA_KEY: Buffer.alloc(32, "test").toString("base64"),
        ...testSecrets,
        ...channelSecrets,
        ...generatedSecrets(),
        ISOPOD_CONFIG: JSON.stringify(
          testConfig(models.url, botApi.url, inject("outside"), inject("platforms"), inject("media")),
        ),
        TELEGRAM_BOT_TOKEN: "7000000001:flow",
        TELEGRAM_WEBHOOK_SECRET: "flow-webhook-secret",
        WEBHOOK_SECRET: SERVICE_SECRET,
        TEST_MODEL_SERVER: models.url,
        TEST_BOT_API: botApi.url,
        TEST_MIGRATIONS: await readD1Migrations("migrations/d1"),
        TEST_MEMORY_MIGRATIONS: await readD1Migrations("migrations/memory"),
      },
    },
  };
});

/** Reads as text what wrangler.toml's rules bundle as text. */
const textFiles: Plugin = {
  name: "text-files",
  enforce: "pre",
  load: (id) => (/\.(md|sql|sh)$/.test(id) ? `export default ${JSON.stringify(readFileSync(id, "utf8"))}` : undefined),
};

/**
 * Loads with a module what it would import later. vitest fetches an imported module over a connection, and requests that
 * import the same one at once wait for the first of them: workerd takes that for code that hangs, and cancels them. A
 * Worker has all of its modules. What is imported late is checked in test/cli/bundle.test.ts.
 */
const importsAhead: Plugin = {
  name: "imports-ahead",
  enforce: "pre",
  transform(code, id) {
    if (!/\/src\/.*\.ts$/.test(id)) return undefined;
    const ahead: string[] = [];
    const changed = code.replace(/(?<=await |=> |\()import\(("[^"]+")\)/g, (_, path: string) => {
      const name = `importedAhead${ahead.length}`;
      ahead.push(`import * as ${name} from ${path};`);
      return `Promise.resolve(${name})`;
    });
    return ahead.length === 0 ? undefined : { code: `${changed}\n${ahead.join("\n")}\n`, map: null };
  },
};

/**
 * One workerd after another file: it costs seconds to start, so files share it and `migrate.ts` empties it before each.
 * Without the cache, because vitest sends all modules that it has in one message, and workerd takes 32 MiB at most.
 */
const workers = {
  plugins: [inWorkerd, importsAhead],
  test: { isolate: false, fsModuleCache: false, setupFiles: ["test/flow/migrate.ts"] },
};

export default defineConfig({
  test: {
    globalSetup: ["test/fakes/setup.ts"],
    // The suffix of a file says where it runs; test/suffixes.test.ts checks that it can.
    projects: [
      {
        extends: true,
        plugins: [textFiles],
        test: {
          name: "node",
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.*.test.ts"],
          isolate: false,
        },
      },
      {
        extends: true,
        ...workers,
        test: { ...workers.test, name: "workers", include: ["test/**/*.workers.test.ts"] },
      },
      {
        extends: true,
        ...workers,
        test: { ...workers.test, name: "long", include: ["test/**/*.long.test.ts"] },
      },
    ],
    maxWorkers: availableParallelism(),
    // What the Worker logs is shown where a test fails.
    silent: "passed-only",
    // A slow machine is no failure: nothing here measures time.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
