import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import { changesRefusedToAgent } from "../config/agent-writes.ts";
import { mergePatch, parseConfig, valueAt } from "../config/document.ts";
import { faultLines } from "../config/faults.ts";
import { parseFieldPath } from "../config/field-path.ts";
import { redacted, restored } from "../config/redaction.ts";
import { type FieldView, lookUpField } from "../config/schema-lookup.ts";
import type { SchemaNode } from "../config/schema-node.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import type { ConfigPort } from "./config-port.ts";

const parameters = z.strictObject({
  action: z.enum(["config.get", "config.schema.lookup", "config.patch", "config.apply", "restart", "update.run"]),
  path: z.string().max(500).optional().describe("A field to get or look up: agents.list[0].model; absent for all"),
  raw: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .optional()
    .describe("What to patch or apply, as an object or JSON5"),
  baseRevision: z.number().int().min(0).optional().describe("The revision from config.get that it was made from"),
  note: z.string().max(300).optional().describe("Why; kept with the change"),
});

type Args = z.infer<typeof parameters>;

/** Most fields that are named in a refusal. */
const MAX_REFUSED = 20;

/**
 * Lets an owner's agent read, look up and change the configuration. A change is made from a revision, so that a call that
 * is made again after a crash is the same change; what the agent may not write is compared in the documents before and after.
 */
export function gatewayTool(config: ConfigPort): Tool<Args> {
  return defineTool({
    name: "gateway",
    summary: "Read, look up and change the configuration",
    description:
      "`config.get` gives the configuration and its revision. `config.schema.lookup` says what a field means and may be. " +
      "`config.patch` merges `raw` into it (RFC 7396: null removes a field, lists are replaced whole); `config.apply` " +
      "replaces all of it. Both need `baseRevision`, and hold from the next turn on. `restart` and `update.run` only tell " +
      "how the operator redeploys.",
    parameters,
    replay: "safe",
    sequential: true,
    async run(args, { callId }) {
      switch (args.action) {
        case "config.get":
          return { text: JSON.stringify(await get(config, args.path ?? "")) };
        case "config.schema.lookup":
          return { text: JSON.stringify(lookUp(config, args.path ?? "")) };
        case "config.patch":
          return { text: await change(config, args, callId, mergePatch) };
        case "config.apply":
          return { text: await change(config, args, callId, (_, document) => document) };
        case "restart":
          return { text: RESTART };
        case "update.run":
          return { text: UPDATE };
      }
    },
  });
}

const RESTART =
  "Nothing was restarted: there is no process here. A change of the configuration holds from the next turn on. New secrets " +
  "and new code come with a deploy, which the operator does: `wrangler secret put NAME`, `wrangler deploy`.";
const UPDATE =
  "Nothing was updated: an update is a deploy, which the operator does in a checkout of the new version: `npm ci`, " +
  "`npm run build`, `wrangler d1 migrations apply DB --remote`, `wrangler deploy`.";

/** A field as it is set, or the whole document; and what a field is where nothing sets it. */
async function get(config: ConfigPort, path: string) {
  const { default: fallback } = lookUp(config, path);
  const { revision, document } = await config.newest();
  const value = valueAt(redacted(document), parseFieldPath(path) ?? []);
  if (value !== undefined) return { revision, path, value };
  return { revision, path, set: false, ...(fallback !== undefined && { default: fallback }) };
}

function lookUp(config: ConfigPort, path: string): FieldView {
  const found = lookUpField(config.schema(), path);
  if (found.kind === "field") return found.field;
  const near = found.nearest.length === 0 ? "Look its parent up." : `Did you mean: ${found.nearest.join(", ")}?`;
  throw new Error(`There is no field '${path}'. ${near}`);
}

async function change(
  config: ConfigPort,
  { raw, baseRevision: base, note }: Args,
  callId: string,
  make: (document: JsonObject, given: Json) => Json,
): Promise<string> {
  if (raw === undefined || raw === "") throw new Error("raw: give what to change, as an object or JSON5.");
  if (base === undefined) throw new Error("baseRevision: give the revision that config.get told.");
  const given = parseConfig(typeof raw === "string" ? raw : JSON.stringify(raw));
  const outcome = await config.change({
    callId,
    base,
    note,
    change: (document) => guarded(config.schema(), document, make, given),
  });
  switch (outcome.kind) {
    case "stored":
      return `Revision ${outcome.revision} is stored, and holds from the next turn on. Changed: ${outcome.changed.join(", ") || "nothing"}.`;
    case "same":
      return `Nothing differs from revision ${outcome.revision}.`;
    case "conflict":
      throw new Error(
        `Nothing was changed: it is at revision ${outcome.revision}, not ${base}. Get it again, and see.`,
      );
    case "invalid":
      throw new Error(`Nothing was changed, because this is not valid:\n${faultLines(outcome.faults)}`);
  }
}

/** The new document, where it leaves alone what the agent may not write. */
function guarded(
  schema: SchemaNode,
  before: JsonObject,
  make: (document: JsonObject, given: Json) => Json,
  given: Json,
): Json {
  const after = restored(make(before, given), before);
  if (!isJsonObject(after)) throw new Error("raw: a configuration is an object.");
  const refused = changesRefusedToAgent(schema, before, after);
  if (refused.length === 0) return after;
  const named = refused.slice(0, MAX_REFUSED).join(", ");
  const more = refused.length > MAX_REFUSED ? ` and ${refused.length - MAX_REFUSED} more` : "";
  throw new Error(
    `Nothing was changed: the agent may not write ${named}${more}. The owner changes that with PATCH /v1/config; config.schema.lookup shows agentMayWrite on the fields that are open.`,
  );
}
