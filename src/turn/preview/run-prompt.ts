import { asc, eq } from "drizzle-orm";
import { objectNameOf } from "../../config/session-ids.ts";
import { IsopodError } from "../../lib/errors.ts";
import type { SystemPrompt, ToolSchema } from "../../models/model.ts";
import { assembleReport, type LabelledSection } from "../../prompt/report.ts";
import { findPrompt, sectionsIn } from "../../session-store/prompt-rows.ts";
import { type PromptRef, promptsIn, type RunState } from "../../session-store/run.ts";
import { compactions } from "../../session-store/schema.ts";
import type { SessionRow } from "../../session-store/session-row.ts";
import { sessionFolder, spillKey } from "../../session-store/spill.ts";
import type { Store } from "../../session-store/store.ts";
import type { Outline } from "../../session-store/stored-shapes.ts";
import { type PromptView, promptView } from "./prompt-view.ts";

/** What the model of a run was sent besides the conversation. */
export interface RunPrompt extends PromptView {
  runId: string;
  /** `summary` for a run that only compacted the conversation. */
  purpose: "turn" | "summary";
  /** Earlier prompts of the run, which was resumed after a crash or an approval; oldest first. */
  earlier: { hash: string; model: string }[];
  /** The run's compaction requests, which have no tools. */
  summaries: { at: number; model: string; system: string }[];
}

/** Dependencies of `runPrompt`. */
export interface RunPromptDeps {
  store: Store;
  files: R2Bucket;
  session(): SessionRow;
}

/**
 * The prompt of a run exactly as it was sent.
 * @param hash of one of several prompts; absent for the last
 * @throws IsopodError `not_found` if no model was called, or not with that prompt; `gone` if it is no longer stored
 */
export async function runPrompt(
  { id: runId, state }: { id: string; state: RunState },
  hash: string | undefined,
  deps: RunPromptDeps,
): Promise<RunPrompt> {
  const { agentId, key: sessionKey } = deps.session();
  const summaries = summariesBy(deps.store, runId);
  const refs = promptsIn(state);
  const last = hash === undefined ? refs.at(-1) : refs.findLast((ref) => ref.hash === hash);
  const of = { agentId, sessionKey };
  if (last !== undefined) {
    const earlier = refs.slice(0, refs.indexOf(last)).map((ref) => ({ hash: ref.hash, model: ref.model }));
    return { ...(await keptView(last, of, deps)), runId, purpose: "turn", earlier, summaries };
  }
  const [summary] = hash === undefined ? summaries : [];
  if (summary === undefined) throw nothingSent(runId, hash);
  return { ...(await summaryView(summary, of)), runId, purpose: "summary", earlier: [], summaries };
}

type Owner = Pick<PromptView, "agentId" | "sessionKey">;

async function keptView(ref: PromptRef, owner: Owner, deps: RunPromptDeps): Promise<PromptView> {
  const [above, below, list] = await Promise.all([ref.stable, ref.dynamic, ref.tools].map((hash) => kept(hash, deps)));
  if (above === undefined || below === undefined || list === undefined) throw notKept(ref);
  const system: SystemPrompt = { stable: above.text, dynamic: below.text };
  const sections: LabelledSection[] = [
    ...sectionsIn(above.text, above.outline).map((section) => ({ ...section, layer: "above" as const })),
    ...sectionsIn(below.text, below.outline).map((section) => ({ ...section, layer: "below" as const })),
  ];
  const report = assembleReport(system, sections, above.outline.files);
  const schemas: ToolSchema[] = JSON.parse(list.text);
  return promptView({ ...owner, mode: above.outline.mode, model: ref.model }, system, report, schemas);
}

function summaryView({ system: text, model }: RunPrompt["summaries"][number], owner: Owner): Promise<PromptView> {
  const system: SystemPrompt = { stable: text, dynamic: "" };
  const source = { kind: "section", name: "src/agent/summary-prompt.ts" } as const;
  const report = assembleReport(system, [{ name: "summary", layer: "above", source, text }], []);
  return promptView({ ...owner, mode: "none", model }, system, report, []);
}

/** A stored text; undefined if the row or its R2 object is gone. */
async function kept(
  hash: string,
  { store, files, session }: RunPromptDeps,
): Promise<{ text: string; outline: Outline } | undefined> {
  const row = findPrompt(store, hash);
  if (row?.outline === undefined) return undefined;
  const { text, spill, outline } = row;
  if (text !== null) return { text, outline };
  const { agentId, key } = session();
  const object = spill && (await files.get(spillKey(sessionFolder(agentId, await objectNameOf(key)), spill)));
  return object ? { text: await object.text(), outline } : undefined;
}

function summariesBy(store: Store, runId: string): RunPrompt["summaries"] {
  const rows = store.select().from(compactions).where(eq(compactions.runId, runId)).orderBy(asc(compactions.seq)).all();
  return rows.flatMap(({ body }) =>
    body?.system === undefined ? [] : [{ at: body.at, model: body.model, system: body.system }],
  );
}

function nothingSent(runId: string, hash: string | undefined): IsopodError {
  const what = hash === undefined ? "has asked no model" : `was not sent a prompt '${hash.slice(0, 80)}'`;
  return new IsopodError("not_found", `The run ${runId} ${what}`, "GET /v1/runs/:id says what became of it.");
}

function notKept({ hash }: PromptRef): IsopodError {
  return new IsopodError("gone", `The prompt ${hash} is not kept any more.`, "session.retention.days says how long.");
}
