import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { experimental_readRawConfig } from "wrangler";
import { bundleWorker, MAIN_MODULE } from "./bundle.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TARGET = join(ROOT, "dist", "worker");

// Bundles the Worker into dist/worker, and writes the configuration with which `wrangler deploy` uploads it as it is.
const { modules, maps } = await bundleWorker(join(ROOT, "src", "index.ts"));
await rm(TARGET, { recursive: true, force: true });
await mkdir(TARGET, { recursive: true });
for (const { path, text } of modules) {
  await writeFile(join(TARGET, path), `${text}//# sourceMappingURL=${path}.map\n`);
}
for (const { path, text } of maps) await writeFile(join(TARGET, `${path}.map`), text);

const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, "wrangler.toml") });
const { build: _, keep_names: __, assets, ...config } = rawConfig;
const deployed = {
  ...config,
  main: MAIN_MODULE,
  no_bundle: true,
  find_additional_modules: true,
  rules: [{ type: "ESModule", globs: ["**/*.mjs"] }],
  upload_source_maps: true,
  assets: { ...assets, directory: relative(TARGET, join(ROOT, assets?.directory ?? "")) },
};
await writeFile(join(TARGET, "wrangler.json"), JSON.stringify(deployed, undefined, 2));
