import { applyD1Migrations, env, reset } from "cloudflare:test";
import { knownConfiguration } from "../../src/services/current-config.ts";
import { forgetListings } from "./outside.ts";

declare global {
  var keptTalking: ReturnType<typeof setInterval> | undefined;
  var __vitest_worker__: { rpc: { getCountOfFailedTests(): Promise<number> } };

  namespace Cloudflare {
    interface Env {
      /** The fake model provider of this workerd (test/fakes/model-server.ts). */
      TEST_MODEL_SERVER: string;
      /** The fake Bot API of this workerd (test/fakes/bot-api.ts). */
      TEST_BOT_API: string;
      TEST_MIGRATIONS: Parameters<typeof applyD1Migrations>[1];
      TEST_MEMORY_MIGRATIONS: Parameters<typeof applyD1Migrations>[1];
    }
  }
}

await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
await applyD1Migrations(env.MEMORY, env.TEST_MEMORY_MIGRATIONS);
// The isolate lives on, and would know the configuration that the file before has stored.
await knownConfiguration(env.DB).refresh();

// The plugin holds back what an object logs until the runner sends something itself. After the last test of a file it
// sends nothing more, and waits for that log without end; so it asks something every so often, for no answer.
const atEnd = () => undefined;
clearInterval(globalThis.keptTalking);
globalThis.keptTalking = setInterval(() => globalThis.__vitest_worker__.rpc.getCountOfFailedTests().catch(atEnd), 250);

// Files share an isolate, and each has a bucket of its own.
forgetListings();
