import { fixedTokens, messagesTokens } from "../agent/context-size.ts";
import type { CallBudget } from "../agent/loop-deps.ts";
import { FatalRunError } from "../agent/run-error.ts";
import type { Agent } from "../config/agents.ts";
import { originRules } from "../config/origins.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { estimateTokens } from "../lib/tokens.ts";
import { NO_USAGE, type Usage } from "../models/message.ts";
import type { Model, ModelReply, ModelRequest } from "../models/model.ts";
import { costOf, type Price } from "../models/price.ts";
import type { Config } from "../services/services.ts";
import type { RunRow } from "../session-store/runs.ts";
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

/** Timeout of a budget's answer, and the pauses between retries, in milliseconds. */
const ANSWER_MS = 5000;
const RETRY_MS = [200, 1000];

/** Dependencies of a run's budget. */
export interface RunBudgetDeps {
  budgets: BudgetNamespace;
  now(): number;
  /** Keeps the object alive for work that is not awaited. */
  waitUntil(promise: Promise<unknown>): void;
}

/** The run that spends. */
interface Spender {
  run: Pick<Claim, "runId" | "startedAt">;
  /** The budgets that it spends from; at least one. */
  scopes: readonly CappedScope[];
  clock: Clock;
}

/**
 * The budget of a run; undefined where nothing is capped, which costs nothing. A command does not count as a run, but
 * its model calls count.
 */
export function openRunBudget(
  { row, journal: { state } }: Pick<ActiveRun, "row" | "journal">,
  agent: Agent,
  config: Config,
  deps: RunBudgetDeps,
): CallBudget | undefined {
  const { isAttended, isTurn } = originRules(state.origin);
  const startedAt = isTurn ? state.startedAt : undefined;
  return openBudget({ runId: row.id, startedAt }, isAttended, agent, config, deps);
}

/** The budget of what is done for a run before it begins; the run itself counts when it begins. */
export function openBudgetBefore(
  { id: runId, input }: Pick<RunRow, "id" | "input">,
  agent: Agent,
  config: Config,
  deps: RunBudgetDeps,
): CallBudget | undefined {
  const { isAttended } = originRules(input?.origin);
  return openBudget({ runId, startedAt: undefined }, isAttended, agent, config, deps);
}

function openBudget(
  run: Spender["run"],
  isAttended: boolean,
  agent: Agent,
  config: Config,
  deps: RunBudgetDeps,
): CallBudget | undefined {
  const scopes = budgetScopes(config, agent.id).filter(({ scope }) => scope !== "unattended" || !isAttended);
  return scopes.length === 0 ? undefined : new RunBudget({ run, scopes, clock: agentClock(agent) }, deps);
}

/**
 * The budgets of one run, for as long as one object works on it. A call is reserved in all of them or in none. A budget
 * that cannot be reached allows nothing: otherwise it could be bypassed.
 */
class RunBudget implements CallBudget {
  readonly #spender: Spender;
  readonly #deps: RunBudgetDeps;
  /** Whether the run was admitted: then it counts, and its caps on runs no longer apply. */
  #isUnderWay = false;
  #settling: Promise<unknown> = Promise.resolve();

  constructor(spender: Spender, deps: RunBudgetDeps) {
    this.#spender = spender;
    this.#deps = deps;
  }

  async reserve(model: Model, request: ModelRequest): Promise<(reply: ModelReply) => void> {
    const expected = this.#spender.scopes.some(countsCalls) ? expectedUsage(model, request) : NO_USAGE;
    const settle = await this.#reserve(model.ref, spentOn(expected, model.price), model.price !== undefined);
    return (reply) => settle(spentOn(usageSpent(reply, expected), model.price));
  }

  async claim(ref: string, expected: Usage): Promise<(spent: Usage) => void> {
    const settle = await this.#reserve(ref, spendingOf(expected), expected.costMicros !== undefined);
    return (spent) => settle(spendingOf(spent));
  }

  async #reserve(ref: string, expected: CallSpending, isPriced: boolean): Promise<(spent: CallSpending) => void> {
    const scopes = this.#scopesToAsk();
    if (scopes.length === 0) return () => undefined;
    if (!isPriced && scopes.some(capsSpendingOn("micros"))) throw noPrice(ref);
    // The last call usually cost less than its reservation, which leaves room for this one.
    await this.#settling;
    const callId = newId("call", this.#deps.now());
    await this.#claim(scopes, callId, expected);
    this.#isUnderWay = true;
    return (spent) => this.#settle(callId, spent);
  }

  /** The scopes with a cap that this call may exceed. */
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
    throw new FatalRunError("budget", this.#refusal(answers));
  }

  #ask({ scope, caps }: CappedScope, callId: string, expected: CallSpending): Promise<ClaimAnswer | undefined> {
    const call = countsCalls({ scope, caps }) ? { call: { callId, ...expected } } : {};
    const claim = { ...this.#spender.run, ...call, takesOver: !this.#isUnderWay };
    return this.#reach("budget.not_asked", scope, async (budget): Promise<ClaimAnswer> => budget.claim(claim, caps));
  }

  /** Names the budget that has room last. */
  #refusal(answers: readonly { scope: Scope; answer: ClaimAnswer | undefined }[]): string {
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

  /** A budget's answer, with retries; undefined where it never answers, which is logged. */
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

/** Whether a scope caps the spending of calls, not only the number of runs. */
function countsCalls(scope: CappedScope): boolean {
  return capsSpendingOn("tokens")(scope) || capsSpendingOn("micros")(scope);
}

function capsSpendingOn(of: "tokens" | "micros"): (scope: CappedScope) => boolean {
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

/** Expected tokens of an answer: more than most, far fewer than the limit of a model. */
const EXPECTED_OUTPUT = 2000;

/** What a call spends. */
export interface CallSpending {
  tokens: number;
  /** Millionths of a US dollar; 0 where no price is known. */
  micros: number;
}

/** The expected tokens of a call. */
export function expectedUsage(model: Model, { system, tools, messages, maxOutputTokens }: ModelRequest): Usage {
  const output = Math.min(EXPECTED_OUTPUT, maxOutputTokens ?? model.maxOutputTokens);
  return { ...NO_USAGE, input: fixedTokens(system, tools) + messagesTokens(messages, model), output };
}

/**
 * The tokens of a call. Where its provider reported none (the call was aborted, or the provider never does) they are
 * estimated, so that a budget cannot be bypassed; a call that failed before any output cost nothing.
 */
export function usageSpent({ usage, stop, parts }: ModelReply, expected: Usage): Usage {
  if (usage.input + usage.output > 0) return usage;
  if (stop === "error" && parts.length === 0) return NO_USAGE;
  return { ...NO_USAGE, input: expected.input, output: estimateTokens(JSON.stringify(parts)) };
}

function spendingOf({ input, output, costMicros = 0 }: Usage): CallSpending {
  return { tokens: input + output, micros: costMicros };
}

/** Tokens and money of a call. */
export function spentOn(usage: Usage, price: Price | undefined): CallSpending {
  return { tokens: usage.input + usage.output, micros: price === undefined ? 0 : costOf(usage, price) };
}
