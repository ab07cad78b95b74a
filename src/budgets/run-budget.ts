import type { CallBudget } from "../agent/call-budget.ts";
import { fixedTokens, tokensOf } from "../agent/context-size.ts";
import { FatalRunError } from "../agent/must-end.ts";
import type { Agent } from "../config/agents.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { estimateTokens } from "../lib/tokens.ts";
import { NO_USAGE, type Usage } from "../models/message.ts";
import type { Model, ModelReply, ModelRequest } from "../models/model.ts";
import { costOf, type Price } from "../models/price.ts";
import type { Config } from "../services/services.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import { budgetScopes, type CappedScope, type Scope } from "./budget-caps.ts";
import { agentClock, type Clock, refusalText } from "./budget-report.ts";
import {
  type BudgetCalls,
  type BudgetNamespace,
  type Claim,
  type ClaimAnswer,
  lastToHaveRoom,
} from "./budget-state.ts";

/** How long a budget is waited for, in milliseconds, and how long until it is asked again. */
const ANSWER_MS = 5000;
const RETRY_MS = [200, 1000];

/** Where budgets are asked. */
export interface RunBudgetDeps {
  budgets: BudgetNamespace;
  now(): number;
  /** Keeps the object alive for calls that nobody waits for. */
  waitUntil(promise: Promise<unknown>): void;
}

/** Whose calls are paid for. */
interface Spender {
  run: Pick<Claim, "runId" | "startedAt">;
  /** The budgets that are spent from; at least one. */
  scopes: readonly CappedScope[];
  clock: Clock;
}

/**
 * What a run of an agent may spend; undefined where nothing is capped, which costs nothing. A command is no run that
 * counts, but what it has a model say does.
 */
export function openRunBudget(
  { row, journal: { state } }: Pick<ActiveRun, "row" | "journal">,
  agent: Agent,
  config: Config,
  deps: RunBudgetDeps,
): CallBudget | undefined {
  const scopes = budgetScopes(config, agent.id);
  if (scopes.length === 0) return undefined;
  const startedAt = state.origin?.kind === "command" ? undefined : state.startedAt;
  return new RunBudget({ run: { runId: row.id, startedAt }, scopes, clock: agentClock(agent) }, deps);
}

/**
 * The budgets of one run, for as long as one object works on it. Each call is set aside in all of them, or in none. A
 * budget that cannot be asked allows nothing: one that can be got round would be none.
 */
class RunBudget implements CallBudget {
  readonly #spender: Spender;
  readonly #deps: RunBudgetDeps;
  /** Whether the run has been let through by now: then it counts, and its caps on runs are behind it. */
  #isUnderWay = false;
  #settling: Promise<unknown> = Promise.resolve();

  constructor(spender: Spender, deps: RunBudgetDeps) {
    this.#spender = spender;
    this.#deps = deps;
  }

  async reserve(model: Model, request: ModelRequest): Promise<(reply: ModelReply) => void> {
    const scopes = this.#scopesToAsk();
    if (scopes.length === 0) return () => undefined;
    if (model.price === undefined && scopes.some(isOf("micros"))) throw noPrice(model.ref);
    // What the last call really cost is less than what was set aside for it, and leaves room for this one.
    await this.#settling;
    const expected = scopes.some(countsCalls) ? expectedUsage(model, request) : NO_USAGE;
    const callId = newId("call", this.#deps.now());
    await this.#claim(scopes, callId, spentOn(expected, model.price));
    this.#isUnderWay = true;
    return (reply) => this.#settle(callId, spentOn(usageSpent(reply, expected), model.price));
  }

  /** Those that have a cap on what this call spends. */
  #scopesToAsk(): readonly CappedScope[] {
    const { scopes } = this.#spender;
    return this.#isUnderWay ? scopes.filter(countsCalls) : scopes;
  }

  async #claim(scopes: readonly CappedScope[], callId: string, expected: CallSpending): Promise<void> {
    const answers = await Promise.all(
      scopes.map(async (scope) => ({ scope: scope.scope, answer: await this.#ask(scope, callId, expected) })),
    );
    if (answers.every(({ answer }) => answer?.granted)) return;
    await Promise.all(answers.map(({ scope, answer }) => this.#giveBack(scope, answer, callId)));
    throw new FatalRunError("budget", this.#refusalOf(answers));
  }

  #ask({ scope, caps }: CappedScope, callId: string, expected: CallSpending): Promise<ClaimAnswer | undefined> {
    const call = countsCalls({ scope, caps }) ? { call: { callId, ...expected } } : {};
    const claim = { ...this.#spender.run, ...call, takesOver: !this.#isUnderWay };
    return this.#reach("budget.not_asked", scope, async (budget): Promise<ClaimAnswer> => budget.claim(claim, caps));
  }

  /** Names the budget that has to be waited for longest. */
  #refusalOf(answers: readonly { scope: Scope; answer: ClaimAnswer | undefined }[]): string {
    const full = answers.flatMap(({ scope, answer }) => (answer?.granted === false ? [{ scope, ...answer.full }] : []));
    const [last] = full.sort(lastToHaveRoom);
    return last === undefined ? UNREACHABLE : refusalText(last.scope, last, this.#deps.now(), this.#spender.clock);
  }

  async #giveBack(scope: Scope, answer: ClaimAnswer | undefined, callId: string): Promise<void> {
    if (!answer?.granted) return;
    const runId = answer.countsRun ? this.#spender.run.runId : undefined;
    await this.#reach("budget.not_given_back", scope, (budget) => budget.giveBack(runId, callId));
  }

  #settle(callId: string, spent: CallSpending): void {
    const scopes = this.#spender.scopes.filter(countsCalls);
    this.#settling = Promise.all(
      scopes.map(({ scope }) => this.#reach("budget.not_settled", scope, (budget) => budget.settle(callId, spent))),
    );
    this.#deps.waitUntil(this.#settling);
  }

  /** What a budget answers, asked again where it does not; undefined where it never does, which is logged. */
  async #reach<Answer>(
    event: string,
    scope: Scope,
    call: (budget: BudgetCalls) => Promise<Answer>,
  ): Promise<Answer | undefined> {
    for (let tries = 0; ; tries++) {
      try {
        return await withinTime(call(this.#deps.budgets.getByName(scope)));
      } catch (error) {
        const pause = RETRY_MS[tries];
        log(pause === undefined ? "error" : "warn", event, { scope, error: messageOf(error) });
        if (pause === undefined) return undefined;
        await scheduler.wait(pause);
      }
    }
  }
}

const UNREACHABLE = "The budget cannot be asked whether there is room, so nothing is spent. Try again in a moment.";

/** Whether a scope caps what calls spend, and not only how many runs there are. */
function countsCalls(scope: CappedScope): boolean {
  return isOf("tokens")(scope) || isOf("micros")(scope);
}

function isOf(of: "tokens" | "micros"): (scope: CappedScope) => boolean {
  return ({ caps }) => caps.some((cap) => cap.of === of);
}

async function withinTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No answer within ${ANSWER_MS / 1000} s.`)), ANSWER_MS);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

function noPrice(ref: string): IsopodError {
  const [provider = "", ...rest] = ref.split("/");
  return new IsopodError(
    "not_configured",
    `Money is capped, and nobody has said what '${ref}' costs`,
    `Add \`{id: "${rest.join("/")}", cost: {input, output}}\` to models.providers.${provider}.models[], or take the caps in US dollars out of budgets.`,
  );
}

/** Tokens that an answer is expected to have: more than most, far less than a model may say. */
const EXPECTED_OUTPUT = 2000;

/** What counts against caps of one call. */
export interface CallSpending {
  tokens: number;
  /** Millionths of a US dollar; 0 where no price is known. */
  micros: number;
}

/** Tokens that a call is likely to use. */
export function expectedUsage(model: Model, { system, tools, messages, maxOutputTokens }: ModelRequest): Usage {
  const output = Math.min(EXPECTED_OUTPUT, maxOutputTokens ?? model.maxOutputTokens);
  return { ...NO_USAGE, input: fixedTokens(system, tools) + tokensOf(messages), output };
}

/**
 * Tokens that a call has used. Where its provider did not come to count them (somebody hung up, or it never does), they
 * are estimated, so that a budget is not got round; a call that failed before anything was said cost nothing.
 */
export function usageSpent({ usage, stop, parts }: ModelReply, expected: Usage): Usage {
  if (usage.input + usage.output > 0) return usage;
  if (stop === "error" && parts.length === 0) return NO_USAGE;
  return { ...NO_USAGE, input: expected.input, output: estimateTokens(JSON.stringify(parts)) };
}

/** Tokens and money of a call. */
export function spentOn(usage: Usage, price: Price | undefined): CallSpending {
  return { tokens: usage.input + usage.output, micros: price === undefined ? 0 : costOf(usage, price) };
}
