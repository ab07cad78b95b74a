import { IsopodError } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import { isForPeople, type Message } from "../models/message.ts";
import type { AuditLine } from "../security/audit-entry.ts";
import type { ModelChange } from "./hook-map.ts";
import type { SessionHooks } from "./session-hooks.ts";

/**
 * Applies the model hooks of a turn to `provider/model`. A model of an unconfigured provider is ignored and logged;
 * that and every change are on the audit trail.
 */
export async function applyModelHooks(
  ref: string,
  { runId, messages }: { runId: string; messages: () => readonly Message[] },
  { hooks, model }: { hooks: SessionHooks; model(ref: string): unknown },
): Promise<string> {
  if (!hooks.has("before_model_resolve")) return ref;
  const said = messages().findLast((message) => message.role === "user" && isForPeople(message));
  const text = said?.role === "user" ? said.text : "";
  const { merged, answers } = await hooks.run("before_model_resolve", { model: ref, text }, runId);
  if (merged === undefined) return ref;
  const wanted = overridden(ref, merged, (candidate) => problemWith(candidate, model) === undefined);
  if (wanted === ref) return ref;
  const by = [...new Set(answers.filter(({ answer }) => answer.modelOverride ?? answer.providerOverride).map(whose))];
  const problem = problemWith(wanted, model);
  const detail = problem === undefined ? `instead of ${ref}` : `ignored: ${problem}`;
  if (problem !== undefined) writeLog("warn", "hook.model_ignored", { runId, model: wanted, reason: problem });
  hooks.audit.write(by.map((plugin): AuditLine => ({ kind: "model", runId, by: plugin, subject: wanted, detail })));
  return problem === undefined ? wanted : ref;
}

/**
 * The model that a change asks for. A full reference is taken as it is, unless a provider is given as well; any other
 * name is a model of that provider, or of the current one.
 */
function overridden(ref: string, change: ModelChange, isModel: (ref: string) => boolean): string {
  const { modelOverride, providerOverride } = change;
  if (providerOverride === undefined && modelOverride?.includes("/") && isModel(modelOverride)) return modelOverride;
  const slash = ref.indexOf("/");
  return `${providerOverride ?? ref.slice(0, slash)}/${modelOverride ?? ref.slice(slash + 1)}`;
}

function problemWith(ref: string, model: (ref: string) => unknown): string | undefined {
  try {
    model(ref);
    return undefined;
  } catch (error) {
    if (error instanceof IsopodError) return error.message;
    throw error;
  }
}

function whose({ by }: { by: string }): string {
  return by;
}
