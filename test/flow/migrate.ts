import { applyD1Migrations, env, reset } from "cloudflare:test";

declare global {
  namespace Cloudflare {
    interface Env {
      TEST_MIGRATIONS: Parameters<typeof applyD1Migrations>[1];
    }
  }
}

await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
