import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** The modules of a bundle that wrangler has made, for miniflare. */
export async function modulesIn(folder: string) {
  const names = await readdir(folder);
  const scripts = names.filter((name) => name.endsWith(".js") && name !== "worker.js");
  const texts = names.filter((name) => /\.(md|sh|sql)$/.test(name) && name !== "README.md");
  return [
    { type: "ESModule" as const, path: join(folder, "worker.js") },
    ...scripts.map((name) => ({ type: "ESModule" as const, path: join(folder, name) })),
    ...texts.map((name) => ({ type: "Text" as const, path: join(folder, name) })),
  ];
}
