import { expect, test } from "vitest";
import { answer } from "../../src/agent/answer.ts";
import type { Cooldown, Failover } from "../../src/agent/failover.ts";
import type { LoopDeps } from "../../src/agent/loop-deps.ts";
import type { Candidate } from "../../src/models/candidates.ts";
import { type ModelError, NO_USAGE } from "../../src/models/message.ts";
import type { ModelEvent } from "../../src/models/model.ts";

type Script = (ModelError["kind"] | "ok" | "silence")[];

/** A model that answers by a script; the last answer repeats. */
function candidate(ref: string, script: Script, asked: string[]): Candidate {
  async function* stream(_: unknown, signal: AbortSignal): AsyncIterable<ModelEvent> {
    asked.push(ref);
    const next = script.length > 1 ? script.shift() : script[0];
    const head = { parts: [], usage: NO_USAGE };
    if (next === "silence") {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      yield { type: "end", reply: { ...head, stop: "aborted" } };
    } else if (next === "ok") {
      yield { type: "text", delta: ref };
      yield { type: "end", reply: { ...head, parts: [{ type: "text", text: ref }], stop: "stop" } };
    } else {
      yield { type: "end", reply: { ...head, stop: "error", error: { kind: next ?? "other", message: `${next}` } } };
    }
  }
  return { model: { ref, contextWindow: 1, maxOutputTokens: 1, stream } };
}

function lab(scripts: Record<string, Script>, more: Partial<Failover> = {}, loopMore: Partial<LoopDeps> = {}) {
  const asked: string[] = [];
  const rested: string[] = [];
  const preferred: string[] = [];
  const candidates = Object.entries(scripts).map(([ref, script]) => candidate(ref, script, asked));
  const failover: Failover = {
    candidates,
    retry: { times: 2, backoffMs: 1, waitsForLimits: true },
    deadline: undefined,
    cooldowns: async () => new Map<string, Cooldown>(),
    coolDown: (name) => void rested.push(name),
    answered: ({ model }, forgiven) => void preferred.push([model.ref, ...forgiven].join(" ")),
    chance: () => 0,
    ...more,
  };
  const loop = {
    model: candidates[0]!.model,
    failover,
    request: { system: { stable: "", dynamic: "" }, thinking: "off", loadFile: async () => undefined },
    tools: [],
    modelIdleMs: 5,
    emit: () => undefined,
    newMessageId: () => "msg_1",
    now: () => 1000,
    ...loopMore,
  } as unknown as LoopDeps;
  const reply = (signal = new AbortController().signal) => answer(loop, [], signal);
  return { reply, asked, rested, preferred };
}

test("a silent model times out, and the next candidate is asked", async () => {
  const { reply, asked, rested, preferred } = lab({ "a/1": ["silence"], "b/2": ["ok"] });
  expect(await reply()).toMatchObject({ stop: "stop", model: "b/2" });
  expect(asked).toEqual(["a/1", "a/1", "a/1", "b/2"]);
  expect([rested, preferred]).toEqual([[], ["b/2"]]);
});

test("a refused candidate gets a cooldown, and one that answers becomes preferred and loses its cooldowns", async () => {
  const rests = async () => new Map<string, Cooldown>([["b/2", { failures: 3, kind: "auth", until: 10 }]]);
  const { reply, rested, preferred } = lab({ "a/1": ["billing"], "b/2": ["ok"] }, { cooldowns: rests });
  await reply();
  expect([rested, preferred]).toEqual([["a/1"], ["b/2 b/2"]]);
});

test("a candidate that recovers on a retry is not given up", async () => {
  const { reply, asked } = lab({ "a/1": ["overloaded", "timeout", "ok"], "b/2": ["ok"] });
  expect(await reply()).toMatchObject({ model: "a/1" });
  expect(asked).toEqual(["a/1", "a/1", "a/1"]);
});

test("if all candidates fail, the reply of the configured model names each error", async () => {
  const { reply } = lab({ "a/1": ["billing"], "b/2": ["timeout"] });
  const { stop, model, error } = await reply();
  expect({ stop, model }).toEqual({ stop: "error", model: "a/1" });
  expect(error?.message.split("\n")).toEqual([
    "No model can answer now.",
    expect.stringMatching(/^- a\/1: a has no credit left .*: billing\./),
    expect.stringMatching(/^- b\/2: b gave no whole answer: timeout\./),
  ]);
});

test("a loop's model that is no candidate is asked before them", async () => {
  const asked: string[] = [];
  const { model } = candidate("c/3", ["timeout"], asked);
  const { reply, asked: others } = lab({ "a/1": ["ok"] }, {}, { model });
  expect(await reply()).toMatchObject({ model: "a/1" });
  expect([asked, others]).toEqual([["c/3", "c/3", "c/3"], ["a/1"]]);
});

test("an abort ends the pause before a retry, and no further model call is made", async () => {
  const { reply, asked } = lab(
    { "a/1": ["overloaded"] },
    { retry: { times: 2, backoffMs: 20_000, waitsForLimits: true } },
  );
  const stop = new AbortController();
  const waiting = reply(stop.signal);
  await Promise.resolve();
  stop.abort("aborted");
  expect(await waiting).toMatchObject({ stop: "aborted", parts: [] });
  expect(asked.length).toBeLessThanOrEqual(1);
});

test("an error of the budget ends the failover", async () => {
  const reserve = () => Promise.reject(new Error("No money."));
  const { reply, asked } = lab({ "a/1": ["ok"], "b/2": ["ok"] }, {}, { budget: { reserve, claim: reserve } });
  await expect(reply()).rejects.toThrow("No money.");
  expect(asked).toEqual([]);
});
