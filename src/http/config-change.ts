import type { Context } from "hono";
import { faultLines } from "../config/faults.ts";
import { IsopodError } from "../lib/errors.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import { changeConfiguration } from "../services/change-config.ts";
import { passesIfMatch } from "./conditions.ts";
import type { AppEnv } from "./context.ts";

/** What the query of a change says. */
export interface ChangeQuery {
  dryRun: "true" | "false";
  note?: string | undefined;
}

/**
 * Changes the configuration the way `If-Match` allows, which has to be given; sets `ETag`.
 * @param make gives the document that is to be of the one that is there
 * @throws IsopodError what the caller did wrong
 */
export async function storeChange(
  c: Context<AppEnv>,
  { dryRun, note, author }: ChangeQuery & { author: string },
  make: (document: JsonObject) => Json,
): Promise<{ revision: number; changed: string[]; stored: boolean }> {
  // Cloudflare makes the ETag of an answer weak that it compresses; the number of a revision is exact all the same.
  const ifMatch = c.req.header("If-Match")?.replaceAll('W/"', '"');
  if (ifMatch === undefined && dryRun === "false") {
    throw new IsopodError(
      "precondition_required",
      "It has to be said which revision the change is made from.",
      'Send the ETag of GET /v1/config as If-Match, such as "3", or * for whichever is there.',
    );
  }
  const wanted = {
    base: (revision: number) => passesIfMatch(ifMatch, String(revision)),
    change: make,
    author,
    note,
    dryRun: dryRun === "true",
  };
  const outcome = await changeConfiguration(c.env, wanted, Date.now());
  c.header("ETag", etagOf(outcome.revision));
  if (outcome.kind === "conflict") {
    throw new IsopodError(
      "precondition_failed",
      `The configuration is at revision ${outcome.revision} now.`,
      "Read it again, look whether your change still fits, and send it with the new ETag.",
      { currentRevision: outcome.revision },
    );
  }
  if (outcome.kind === "invalid") {
    const { faults } = outcome;
    const hint = "Nothing was changed. GET /v1/config/schema says what each field may be.";
    throw new IsopodError("invalid_request", faultLines(faults), hint, { faults });
  }
  const { revision, changed } = outcome;
  return { revision, changed, stored: outcome.kind === "stored" };
}

/** The `ETag` of a revision. */
export function etagOf(revision: number): string {
  return `"${revision}"`;
}
