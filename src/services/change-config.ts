import { defaultAgentId } from "../config/agents.ts";
import { changedPaths } from "../config/document.ts";
import { checkConfig, type Fault } from "../config/faults.ts";
import { ConfigStore } from "../config/store.ts";
import { comesWithin } from "../lib/deadline.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { log } from "../lib/log.ts";
import { wholeSchema } from "./config-schema.ts";
import { type ConfigurationEnv, fromEnvironment, knownConfiguration } from "./current-config.ts";

/** Timeout of D1. */
const ANSWER_MS = 10_000;
/** Most retries of a change after concurrent changes. */
const MAX_TRIES = 5;

/** A requested change of the configuration. */
export interface ConfigChange {
  /** The revision that it was made from, or whether it fits a revision; 0 is what holds where nothing is stored. */
  base: number | ((revision: number) => boolean);
  /**
   * Returns the changed sparse document; called again after a concurrent change. An error that it throws ends the
   * change.
   */
  change(document: JsonObject): Json;
  /** The author: `api:token`, `api:page`, `gateway:<agent>/<session>` or `import`. */
  author: string;
  note?: string | undefined;
  /** Checks the change and stores nothing. */
  dryRun?: boolean;
  /** The run that requests it, for the audit trail. */
  run?: { agentId: string; sessionKey: string; runId: string };
}

/** The outcome of a change. `revision` is the newest one. */
export type ConfigChanged =
  /** It is in force; or nothing differs; or, for a dry run, it could be stored. */
  | { kind: "stored" | "same" | "possible"; revision: number; document: JsonObject; changed: string[] }
  /** It does not fit the revision that is there. */
  | { kind: "conflict"; revision: number }
  /** Nothing was stored, and what was in force stays so. */
  | { kind: "invalid"; revision: number; faults: readonly Fault[] };

/**
 * Changes the configuration. Every change uses this function: it stores only a valid document, based on the newest
 * revision, which takes effect here at once and in other isolates within seconds.
 * @throws IsopodError `payload_too_large`, `unavailable` if D1 does not answer, and what `change` throws
 */
export async function changeConfiguration(
  env: ConfigurationEnv,
  wanted: ConfigChange,
  now: number,
): Promise<ConfigChanged> {
  for (let tries = 1; ; tries++) {
    const outcome = await changeOnce(env, wanted, now);
    const isAnothers = outcome.kind === "conflict" && fits(wanted.base, outcome.revision);
    if (!isAnothers || tries === MAX_TRIES) return outcome;
  }
}

/** The newest document, as it was given, empty where it is damaged; what holds without one where none is stored. */
export async function newestDocument(
  env: ConfigurationEnv,
): Promise<{ revision: number; document: JsonObject; isDamaged?: true }> {
  const stored = await reached(new ConfigStore(env.DB).current(), "It was not changed. Try again in a moment.");
  if (stored === undefined) return { revision: 0, document: fromEnvironment(env).document };
  const { revision, document } = stored;
  return document === null ? { revision, document: {}, isDamaged: true } : { revision, document };
}

async function changeOnce(env: ConfigurationEnv, wanted: ConfigChange, now: number): Promise<ConfigChanged> {
  const { revision, document: before, isDamaged } = await newestDocument(env);
  if (!fits(wanted.base, revision)) return { kind: "conflict", revision };
  if (isDamaged && wanted.run !== undefined) throw damaged(revision);
  const document = wanted.change(before);
  const checked = checkConfig(wholeSchema, document);
  if (checked.kind === "invalid" || !isJsonObject(document)) {
    const faults = checked.kind === "invalid" ? checked.faults : [];
    return { kind: "invalid", revision, faults };
  }
  const changed = changedPaths(before, document);
  if (wanted.dryRun) return { kind: "possible", revision, document, changed };
  // The document of the environment variable is not stored yet: storing the same document is a change.
  if (changed.length === 0 && revision > 0) return { kind: "same", revision, document, changed };
  const { agentId = defaultAgentId(checked.config), sessionKey = "", runId = null } = wanted.run ?? {};
  const written = await reached(
    new ConfigStore(env.DB).write({
      base: revision,
      document,
      author: wanted.author,
      note: wanted.note ?? null,
      changed,
      now,
      audit: { id: newId("aud", now), agentId, sessionKey, runId },
    }),
    "Whether it was changed is not known: read it, and see.",
  );
  if (written.kind === "conflict") return { kind: "conflict", revision: written.revision };
  knownConfiguration(env.DB).learn(written.revision, checked.config);
  return { kind: "stored", revision: written.revision, document, changed };
}

/** An unreadable document cannot be compared, so an agent's change of protected fields would go unnoticed. */
function damaged(revision: number): IsopodError {
  const hint = "The operator puts another one in its place, with PUT /v1/config or POST /v1/config/rollback.";
  return new IsopodError("invalid_request", `Revision ${revision} is damaged, and no agent may mend it.`, hint);
}

function fits(base: ConfigChange["base"], revision: number): boolean {
  return typeof base === "number" ? base === revision : base(revision);
}

/**
 * Awaits D1 with a timeout. @throws IsopodError `unavailable` with a hint if it fails, or the IsopodError that it
 * throws
 */
export async function reached<T>(answer: Promise<T>, hint: string): Promise<T> {
  try {
    if (!(await comesWithin(ANSWER_MS, answer))) throw new Error(`no answer within ${ANSWER_MS} ms`);
    return await answer;
  } catch (error) {
    if (error instanceof IsopodError) throw error;
    log("error", "config.unreachable", { error: messageOf(error) });
    throw new IsopodError("unavailable", "D1, where the configuration is, does not answer.", hint);
  }
}
