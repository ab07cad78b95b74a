import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";

/**
 * Reads wrangler.toml for the tests, without the bindings that exist on Cloudflare alone: Vectorize and Workers AI have no
 * local simulation, their calls throw, and wrangler warns of their price. Tests that need them bring stand-ins.
 */
export async function readWorker() {
  const { ai: _, ...config } = unstable_readConfig({ config: "wrangler.toml" });
  const { main, workerOptions } = unstable_getMiniflareWorkerOptions({ ...config, ai: undefined, vectorize: [] });
  if (main === undefined) throw new Error("wrangler.toml has no main.");
  return { main, options: workerOptions };
}
