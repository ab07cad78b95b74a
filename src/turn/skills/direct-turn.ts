import type { CallBudget } from "../../agent/call-budget.ts";
import type { Loop } from "../../agent/journal.ts";
import { runLoop } from "../../agent/loop.ts";
import { stripSilentToken } from "../../agent/silent-reply.ts";
import type { AnyTool } from "../../agent/tool.ts";
import { newId } from "../../lib/ids.ts";
import { type AssistantMessage, NO_USAGE, type ToolMessage, type UserMessage } from "../../models/message.ts";
import { applyLoopHooks } from "../../plugins/apply-loop-hooks.ts";
import { withoutWrapping } from "../../security/external-content.ts";
import type { TurnSkills } from "../../services/skills/turn-skills.ts";
import { type RunResult, stopped } from "../../session-store/run-result.ts";
import { presentName } from "../../tools/policy.ts";
import type { ActiveRun } from "../active-run.ts";
import type { TurnContext } from "../turn-context.ts";
import type { TurnDeps } from "../turn-deps.ts";
import { addTo, invocationIn, noteOn, peopleMessages } from "./call-skill.ts";
import { dispatchArgs, fittedArgs } from "./dispatch-args.ts";
import { dispatchModel } from "./dispatch-model.ts";
import { loneJournal } from "./single-call-journal.ts";
import { dispatchNote } from "./skill-note.ts";

/** What a turn that asks no model comes to: a word of ours, or what a tool gives. */
type Direct =
  | { kind: "answer"; text: string }
  | { kind: "dispatch"; asked: UserMessage; note: string; dispatch: NonNullable<UserMessage["dispatch"]> };

/** What a turn without a model works with. */
export interface DirectParts {
  skills: TurnSkills;
  tools: readonly AnyTool[];
  /** Makes of a tool's output what its result may hold. */
  keep: Loop["keep"];
}

/**
 * Takes a turn that needs no model, because all that was said calls on a skill that cannot be had, or whose command goes
 * to a tool. Undefined where a model is to be asked; `paused` where a person is, first.
 */
export async function directTurn(
  run: ActiveRun,
  context: TurnContext,
  deps: TurnDeps,
  parts: DirectParts,
): Promise<RunResult | "paused" | undefined> {
  const direct = directIn(run, parts);
  if (direct === undefined) return undefined;
  if (direct.kind === "answer") return conclusionOf(direct.text);
  const { asked, note: text, dispatch } = direct;
  if (noteOn(asked, run) === undefined) addTo(asked, { text, dispatch }, run);
  return callTool(dispatch, run, context, deps, parts);
}

/** What was begun goes on as it was begun, whatever has become of the skill. */
function directIn(run: ActiveRun, { skills, tools }: DirectParts): Direct | undefined {
  const [asked, ...more] = peopleMessages(run);
  if (asked?.commandAt === undefined || more.length > 0) return undefined;
  const note = noteOn(asked, run);
  if (note !== undefined) return note.dispatch && { kind: "dispatch", asked, note: note.text, dispatch: note.dispatch };
  const invocation = invocationIn(asked, skills);
  if (invocation?.kind === "refused") return { kind: "answer", text: invocation.reason };
  const { command, args = "" } = invocation ?? {};
  const wanted = command?.skill.invocation.dispatchTool;
  if (command === undefined || wanted === undefined) return undefined;
  const tool = tools.find(({ name }) => name === presentName(wanted));
  if (tool === undefined) return { kind: "answer", text: noTool(command.name, wanted) };
  const fitted = fittedArgs(tool, dispatchArgs(command, args));
  if (fitted.kind === "refused") return { kind: "answer", text: fitted.reason };
  const dispatch = { tool: tool.name, args: fitted.args };
  return { kind: "dispatch", asked, note: dispatchNote(command, tool.name), dispatch };
}

function noTool(command: string, tool: string): string {
  return `\`/${command}\` goes to the tool \`${tool}\`, which is not there for you here. Allow it in the tools' policy, or call on another skill.`;
}

/** The loop of every turn, over this one call: with its approval, hooks and journal, and what holds after a crash. */
async function callTool(
  dispatch: NonNullable<UserMessage["dispatch"]>,
  run: ActiveRun,
  { services, session }: TurnContext,
  deps: TurnDeps,
  { tools, keep }: DirectParts,
): Promise<RunResult | "paused"> {
  const { startedAt } = run.journal.state;
  const { allowedTools = [] } = session.settings;
  await deps.slot;
  const end = await runLoop(
    {
      model: dispatchModel({ callId: newId("call", Date.now()), ...dispatch }),
      request: { system: { stable: "", dynamic: "" }, thinking: "off", loadImage: async () => undefined },
      tools,
      journal: loneJournal(run.journal, startedAt),
      modelIdleMs: 0,
      budget: deps.budget && withoutTokens(deps.budget),
      repetition: services.config.tools.loopDetection,
      hooks: applyLoopHooks(deps.hooks, run.row.id),
      context: { contextTokens: Number.MAX_SAFE_INTEGER, reserveTokens: 0, keepRecentTokens: 0 },
      allowedTools,
      keep,
      emit: (event) => deps.log.show(run.row.id, Date.now(), event),
      newMessageId: () => newId("msg", Date.now()),
      now: Date.now,
    },
    run.signal,
  );
  if (end.kind === "paused") return "paused";
  if (end.kind === "aborted") return stopped(run.signal);
  const result = run.journal.context().findLast((message) => message.role === "tool");
  return conclusionOf(outputOf(result), end.message);
}

/** It counts as a run where runs are capped; there are no tokens to pay for. */
function withoutTokens(budget: CallBudget): CallBudget {
  return {
    async reserve(model, request) {
      const settle = await budget.reserve(model, { ...request, messages: [], tools: [] });
      return () => settle({ parts: [], stop: "error", usage: NO_USAGE });
    },
  };
}

/** What a tool gave, as the transcript has it. It is no model's text: no tags are looked for in it. */
function outputOf(result: ToolMessage | undefined): string {
  const text = result?.text.trim() ?? "";
  if (result?.isError) return `⚠️ \`${result.tool}\` failed: ${text}`;
  return text === "" ? "Done." : text;
}

function conclusionOf(text: string, reply?: AssistantMessage): RunResult {
  const at = Date.now();
  const head = { role: "assistant", id: newId("msg", at), at, stop: "stop", usage: NO_USAGE } as const;
  const message: AssistantMessage = { ...head, model: "isopod/skills", ...reply, parts: [{ type: "text", text }] };
  // Models see later what was said here: other hosts' words stay fenced off for them, and people read them as they are.
  const said = stripSilentToken(withoutWrapping(text));
  return { status: "ok", message, texts: said === "" ? [] : [said] };
}
