import { readdir, readFile, stat } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join, normalize, resolve } from "node:path";

/** Where real inputs that are not part of the project are kept; tests that use them skip where it is absent. */
const FOLDER = resolve(process.env.ISOPOD_FIXTURES ?? "../shared/fixtures");

/** Where a file of the folder is, if it is there. */
export function fixturePath(path: string): string {
  return join(FOLDER, path);
}

/** Whether the folder is there. */
export async function hasFixtures(): Promise<boolean> {
  return (await kindOf(FOLDER)) === "folder";
}

/** Sends a file of the folder, or a folder's names as a JSON array; 404 where there is none. */
export async function serveFixture(path: string, response: ServerResponse): Promise<void> {
  const place = join(FOLDER, normalize(`/${path}`));
  const kind = await kindOf(place);
  if (kind === "file") {
    response.writeHead(200, {
      "content-type": place.endsWith(".json") ? "application/json" : "text/plain; charset=utf-8",
    });
    response.end(await readFile(place));
  } else if (kind === "folder") {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify((await readdir(place)).sort()));
  } else {
    response.writeHead(404);
    response.end();
  }
}

async function kindOf(path: string): Promise<"file" | "folder" | undefined> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
  });
  if (found === undefined) return undefined;
  return found.isDirectory() ? "folder" : "file";
}
