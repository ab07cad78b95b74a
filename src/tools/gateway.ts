import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import { changesRefusedToAgent } from "../config/agent-writes.ts";
import { mergePatch, parseConfig, valueAt } from "../config/document.ts";
import { type Fault, faultLines } from "../config/faults.ts";
import { parseFieldPath } from "../config/field-path.ts";
import { redacted, restored } from "../config/redaction.ts";
import { type FieldView, lookUpField } from "../config/schema-lookup.ts";
import type { SchemaNode } from "../config/schema-node.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";

/** A configuration change by an agent. */
export interface AgentConfigChange {
  /** The call that makes it; the same call is made only once. */
  callId: string;
  /** The revision that it is based on. */
  base: number;
  /** Returns the new document. An error that it throws ends the change. */
  change(document: JsonObject): Json;
  note: string | undefined;
}

/** The outcome; `revision` is the current one. */
export type AgentConfigChanged =
  | { kind: "stored" | "same"; revision: number; changed: readonly string[] }
  | { kind: "conflict"; revision: number }
  | { kind: "invalid"; faults: readonly Fault[] };

/** The configuration, for an owner's agent. Every method rejects with a message for the model if it is unavailable. */
export interface ConfigPort {
  /** The whole schema. */
  schema(): SchemaNode;
  /** The newest document as it was given, without defaults; revision 0 if none is stored. */
  newest(): Promise<{ revision: number; document: JsonObject }>;
  /** Stores a valid change that is based on the newest document, with an audit entry. */
  change(wanted: AgentConfigChange): Promise<AgentConfigChanged>;
}

const parameters = z.strictObject({
  action: z.enum(["config.get", "config.schema.lookup", "config.patch", "config.apply", "restart", "update.run"]),
  path: z.string().max(500).optional().describe("A field to get or look up: agents.list[0].model; absent for all"),
  raw: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .optional()
    .describe("What to patch or apply, as an object or JSON5"),
  baseRevision: z.number().int().min(0).optional().describe("The revision from config.get that it was made from"),
  note: z.string().max(300).optional().describe("Why"),
});

type Args = z.infer<typeof parameters>;

/** The most fields that a refusal lists. */
const MAX_REFUSED = 20;

/**
 * Reads, looks up and changes the configuration for an owner's agent. A change is based on a revision, so a call that
 * is replayed after a crash is the same change; fields that the agent may not write are compared in both documents.
 */
export function gatewayTool(config: ConfigPort): Tool<Args> {
  return defineTool({
    name: "gateway",
    summary: "Read, look up and change the configuration",
    description:
      "config.get gives the configuration and its revision. config.schema.lookup says what a field means and may be. " +
      "config.patch merges raw into it (RFC 7396: null removes a field, lists are replaced whole); config.apply " +
      "replaces all of it. Both need baseRevision, and hold from the next turn on. restart and update.run only tell " +
      "how the operator redeploys.",
    parameters,
    replay: "safe",
    sequential: true,
    effects: ({ action, raw }) =>
      action === "config.patch" || action === "config.apply"
        ? [{ kind: "persist", what: "the configuration", shown: typeof raw === "string" ? raw : JSON.stringify(raw) }]
        : action === "config.get"
          ? [{ kind: "read", what: "the configuration" }]
          : [],
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
  "and new code come with a deploy, which the operator does: `npx wrangler secret put NAME`, `npm run deploy`.";
const UPDATE =
  "Nothing was updated: an update is a deploy, which the operator does in a checkout of the new version: `npm ci`, " +
  "`npx wrangler d1 migrations apply DB --remote`, the same for MEMORY, `npm run deploy`.";

/** The value of a field, or the whole document; the field's default if it is not set. */
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
  if (base === undefined) throw new Error("baseRevision: give the revision that config.get returned.");
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
        `Nothing was changed: it is at revision ${outcome.revision}, not ${base}. Get it again and repeat the change.`,
      );
    case "invalid":
      throw new Error(`Nothing was changed, because this is not valid:\n${faultLines(outcome.faults)}`);
  }
}

/** The new document, if it changes nothing that the agent may not write. */
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
