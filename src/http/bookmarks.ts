import type { Context } from "hono";
import { openReadSession } from "../db/read-session.ts";
import type { AppEnv } from "./context.ts";

/** The state of the lists that an answer was made from. A client that sends it back sees at least that state. */
export const BOOKMARK_HEADER = "X-D1-Bookmark";

/**
 * Reads a list of D1: with the bookmark of an earlier answer from the replica next to the Worker, without one from the
 * primary. The answer has a bookmark of its own.
 */
export async function readList<Result>(
  c: Context<AppEnv>,
  read: (database: D1Database) => Promise<Result>,
): Promise<Result> {
  const { database, bookmark } = openReadSession(c.env.DB, c.req.header(BOOKMARK_HEADER) ?? "primary");
  const result = await read(database);
  c.header(BOOKMARK_HEADER, bookmark());
  return result;
}

/** Gives the answer to a request that has changed a list a bookmark from after the change, so that its client sees it. */
export async function noteListChange(c: Context<AppEnv>): Promise<void> {
  const { database, bookmark } = openReadSession(c.env.DB, "primary");
  await database.prepare("select 1").run();
  c.header(BOOKMARK_HEADER, bookmark());
}
