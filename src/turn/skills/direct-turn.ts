import { runLoop } from "../../agent/loop.ts";
import type { CallBudget, LoopDeps } from "../../agent/loop-deps.ts";
import { stripSilentToken } from "../../agent/silent-token.ts";
import type { AnyTool } from "../../agent/tool.ts";
import { newId } from "../../lib/ids.ts";
import { type AssistantMessage, NO_USAGE, type ToolMessage, type UserMessage } from "../../models/message.ts";
import { applyLoopHooks } from "../../plugins/apply-loop-hooks.ts";
import { withoutWrapping } from "../../security/external-content.ts";
import { currentToolName } from "../../security/tool-policy.ts";
import type { TurnSkills } from "../../services/skills/turn-skills.ts";
import { type RunResult, stopped } from "../../session-store/run-result.ts";
import type { ActiveRun } from "../active-run.ts";
import type { TurnContext } from "../turn-context.ts";
import type { TurnDeps } from "../turn-deps.ts";
import { addNote, dispatchNote, messageInvocation, noteFor, peopleMessages } from "./call-skill.ts";
import { dispatchArgs, dispatchModel, fittedArgs, singleCallJournal } from "./dispatch.ts";

/** What a turn without a model does: answer with a fixed text, or call a tool. */
type DirectAction =
  | { kind: "answer"; text: string }
  | { kind: "dispatch"; userMessage: UserMessage; note: string; dispatch: NonNullable<UserMessage["dispatch"]> };

/** What a turn without a model needs. */
export interface DirectTurnDeps {
  skills: TurnSkills;
  tools: readonly AnyTool[];
  /** Shortens a tool's output to what a result may hold. */
  keep: LoopDeps["keep"];
  gate: LoopDeps["gate"];
}

/**
 * Runs a turn that needs no model: its only message is a skill command that cannot be used, or one that is dispatched
 * to a tool. Undefined if a model is needed; `paused` if a person has to approve the call first.
 */
export async function directTurn(
  run: ActiveRun,
  context: TurnContext,
  deps: TurnDeps,
  parts: DirectTurnDeps,
): Promise<RunResult | "paused" | undefined> {
  const direct = findDirectAction(run, parts);
  if (direct === undefined) return undefined;
  if (direct.kind === "answer") return directResult(direct.text);
  const { userMessage, note: text, dispatch } = direct;
  if (noteFor(userMessage, run) === undefined) addNote(userMessage, { text, dispatch }, run);
  return callTool(dispatch, run, context, deps, parts);
}

/** What to do. A dispatch that was already noted is continued unchanged, even if the skill has changed since. */
function findDirectAction(run: ActiveRun, { skills, tools }: DirectTurnDeps): DirectAction | undefined {
  const [userMessage, ...more] = peopleMessages(run);
  if (userMessage?.commandAt === undefined || more.length > 0) return undefined;
  const note = noteFor(userMessage, run);
  if (note !== undefined)
    return note.dispatch && { kind: "dispatch", userMessage, note: note.text, dispatch: note.dispatch };
  const invocation = messageInvocation(userMessage, skills);
  if (invocation?.kind === "refused") return { kind: "answer", text: invocation.reason };
  const { command, args = "" } = invocation ?? {};
  const toolName = command?.skill.invocation.dispatchTool;
  if (command === undefined || toolName === undefined) return undefined;
  const tool = tools.find(({ name }) => name === currentToolName(toolName));
  if (tool === undefined) return { kind: "answer", text: missingToolText(command.name, toolName) };
  const fitted = fittedArgs(tool, dispatchArgs(command, args));
  if (fitted.kind === "refused") return { kind: "answer", text: fitted.reason };
  const dispatch = { tool: tool.name, args: fitted.args };
  return { kind: "dispatch", userMessage, note: dispatchNote(command, tool.name), dispatch };
}

function missingToolText(command: string, tool: string): string {
  return `\`/${command}\` goes to the tool \`${tool}\`, which is not there for you here. Allow it in the tools' policy, or call on another skill.`;
}

/** Runs the ordinary loop for this one call, with its approvals, hooks, journal and crash recovery. */
async function callTool(
  dispatch: NonNullable<UserMessage["dispatch"]>,
  run: ActiveRun,
  { services }: TurnContext,
  deps: TurnDeps,
  { tools, keep, gate }: DirectTurnDeps,
): Promise<RunResult | "paused"> {
  const { startedAt } = run.journal.state;
  await deps.slot;
  const end = await runLoop(
    {
      model: dispatchModel({ callId: newId("call", Date.now()), ...dispatch }),
      request: { system: { stable: "", dynamic: "" }, thinking: "off", loadFile: async () => undefined },
      tools,
      journal: singleCallJournal(run.journal, startedAt),
      modelIdleMs: 0,
      budget: deps.budget && withoutTokens(deps.budget),
      repetition: services.config.tools.loopDetection,
      hooks: applyLoopHooks(deps.hooks, run.row.id),
      context: { contextTokens: Number.MAX_SAFE_INTEGER, reserveTokens: 0, keepRecentTokens: 0 },
      gate,
      keep,
      emit: (event) => deps.log.show(run.row.id, Date.now(), event),
      newMessageId: () => newId("msg", Date.now()),
      now: Date.now,
    },
    run.signal,
  );
  if (end.kind === "paused" || end.kind === "called" || end.kind === "yielded") return "paused";
  if (end.kind === "aborted") return stopped(run.signal);
  const result = run.journal.context().findLast((message) => message.role === "tool");
  return directResult(toolOutputText(result), end.message);
}

/** A budget that counts the run but no tokens. */
function withoutTokens(budget: CallBudget): CallBudget {
  return {
    async reserve(model, request) {
      const settle = await budget.reserve(model, { ...request, messages: [], tools: [] });
      return () => settle({ parts: [], stop: "error", usage: NO_USAGE });
    },
    claim: (ref, expected) => budget.claim(ref, expected),
  };
}

/** A tool's output as reply text. Reply tags are not parsed in it, because no model wrote it. */
function toolOutputText(result: ToolMessage | undefined): string {
  const text = result?.text.trim() ?? "";
  if (result?.isError) return `⚠️ \`${result.tool}\` failed: ${text}`;
  return text === "" ? "Done." : text;
}

function directResult(text: string, reply?: AssistantMessage): RunResult {
  const at = Date.now();
  const head = { role: "assistant", id: newId("msg", at), at, stop: "stop", usage: NO_USAGE } as const;
  const message: AssistantMessage = { ...head, model: "isopod/skills", ...reply, parts: [{ type: "text", text }] };
  // The transcript keeps outside content wrapped for later models; users see it unwrapped.
  const replyText = stripSilentToken(withoutWrapping(text));
  return { status: "ok", message, texts: replyText === "" ? [] : [replyText] };
}
