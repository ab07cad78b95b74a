import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, type Loader, stop } from "esbuild";
import type { SourcelessWorkerOptions } from "wrangler";

const FRONT = fileURLToPath(new URL("front-worker.ts", import.meta.url));
const PAGE_BUILD = join("src", "web", "build.ts");
/** A rule of wrangler.toml for every file of an extension, which is all that esbuild has loaders for. */
const EVERY_FILE = /^\*\*\/\*(\.\w+)$/;

/** What a start of the Worker runs: Isopod, and the Worker in front of it. */
export interface Bundles {
  isopod: string;
  front: string;
}

/** Builds the page, and bundles Isopod by `main` and `rules` of wrangler.toml. */
export async function bundle(
  root: string,
  main: string,
  rules: SourcelessWorkerOptions["modulesRules"],
): Promise<Bundles> {
  const loader: Record<string, Loader> = {};
  for (const { type, include } of rules ?? []) {
    for (const glob of include) {
      const extension = EVERY_FILE.exec(glob)?.[1];
      if (type === "Text" && extension !== undefined) loader[extension] = "text";
    }
  }
  try {
    const page = promisify(execFile)(process.execPath, [PAGE_BUILD], { cwd: root });
    const [isopod, front] = await Promise.all([bundleFile(main, loader), bundleFile(FRONT, {}), page]);
    return { isopod, front };
  } finally {
    // Its service would keep 300 MB for as long as Isopod runs.
    await stop();
  }
}

/** As wrangler bundles a Worker: workerd has the modules of `cloudflare:` and `node:` itself. */
async function bundleFile(entry: string, loader: Record<string, Loader>): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    define: { "process.env.NODE_ENV": '"production"' },
    loader,
    logLevel: "error",
  });
  const text = outputFiles[0]?.text;
  if (text === undefined) throw new Error(`esbuild made nothing of ${entry}.`);
  return text;
}
