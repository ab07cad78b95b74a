import type { PromptChange } from "../../hooks/hooks.ts";
import type { SystemPrompt } from "../../models/model.ts";
import type { RenderedPrompt } from "../../prompt/system-prompt.ts";
import { type AuditLine, changeLine } from "../catalog/audit-line.ts";
import type { ActiveRun } from "../engine.ts";
import type { TurnRoom } from "../turn/turn-room.ts";
import type { SessionHooks } from "./session-hooks.ts";

/**
 * The system prompt of a turn once plugins have spoken, each change of which is on the audit trail before a model sees
 * it. What they add stands above the part that changes from turn to turn, so that what is above it stays cached.
 */
export async function hookedPrompt(
  prompt: RenderedPrompt,
  model: string,
  run: ActiveRun,
  { hooks }: Pick<TurnRoom, "hooks">,
): Promise<SystemPrompt> {
  const runId = run.row.id;
  const sections = await Promise.all(prompt.added.map(({ name, text }) => sectionLine(name, text, runId)));
  const built = await changed("before_prompt_build", prompt.system, model, run, hooks);
  const started = await changed("before_agent_start", built.system, model, run, hooks);
  hooks.audit.write([...sections, ...built.lines, ...started.lines]);
  return started.system;
}

interface ChangedPrompt {
  system: SystemPrompt;
  lines: AuditLine[];
}

async function changed(
  event: "before_prompt_build" | "before_agent_start",
  system: SystemPrompt,
  model: string,
  { row, journal }: ActiveRun,
  hooks: SessionHooks,
): Promise<ChangedPrompt> {
  if (!hooks.has(event)) return { system, lines: [] };
  const { merged = {}, answers } = await hooks.run(event, { system, model, messages: journal.context() }, row.id);
  return { system: applied(system, merged), lines: await linesOf(system, answers, row.id) };
}

/** A system prompt with a change of plugins. Pure. */
export function applied(system: SystemPrompt, { systemPrompt, prependContext }: PromptChange): SystemPrompt {
  const { stable, dynamic } = systemPrompt === undefined ? system : { stable: systemPrompt, dynamic: "" };
  return { stable, dynamic: [prependContext ?? "", dynamic].filter((text) => text !== "").join("\n\n") };
}

/** One line for each text that a plugin gave, against what was there before it. */
async function linesOf(
  system: SystemPrompt,
  answers: readonly { by: string; answer: PromptChange }[],
  runId: string,
): Promise<AuditLine[]> {
  const lines: AuditLine[] = [];
  let whole = `${system.stable}\n\n${system.dynamic}`;
  let context = "";
  for (const { by, answer } of answers) {
    const { systemPrompt, prependContext } = answer;
    const line = (subject: string): AuditLine => ({ kind: "prompt", runId, by, subject });
    if (systemPrompt !== undefined) {
      lines.push(await changeLine(line("systemPrompt"), whole, systemPrompt));
      whole = systemPrompt;
    }
    if (prependContext !== undefined && prependContext !== "") {
      const after = context === "" ? prependContext : `${context}\n\n${prependContext}`;
      lines.push(await changeLine(line("prependContext"), context, after));
      context = after;
    }
  }
  return lines;
}

function sectionLine(name: string, text: string, runId: string): Promise<AuditLine> {
  const [by = name] = name.split("/");
  return changeLine({ kind: "prompt", runId, by, subject: `section ${name}` }, "", text);
}
