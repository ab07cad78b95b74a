import { timingSafeEqual } from "node:crypto";
import type { ChannelContext, InboundEvent } from "../../../src/channels/channel.ts";
import { answerWebhook } from "../../../src/http/webhook.ts";
import type { ChannelUnderEval, EvalAccount } from "./channel-under-eval.ts";

// workerd's comparison in constant time, which Node has elsewhere.
Object.assign(crypto.subtle, {
  timingSafeEqual: (one: ArrayBuffer, other: ArrayBuffer) => timingSafeEqual(Buffer.from(one), Buffer.from(other)),
});

/** What a request came to: the answer, and what was handed over. */
export interface Handled {
  response: Response;
  events: readonly InboundEvent[];
  /** Whether the channel had something for the agent. */
  kind: "messages" | "answered" | "refused";
}

/** A channel that is opened for one account. `fetch` refuses connections unless told otherwise. */
export function openContext(
  { channel }: ChannelUnderEval,
  { account, secrets }: EvalAccount,
  { now, fetch }: { now: number; fetch: (request: Request) => Response | Promise<Response> | undefined },
): ChannelContext<unknown> {
  return {
    accountId: "default",
    account: channel.account.parse(account),
    secret: ({ id }) => secrets[id],
    fetch: async (input, init) => {
      const answer = await fetch(new Request(input, init));
      if (answer === undefined) throw new Error("connection refused");
      return answer;
    },
    now: () => now,
    publicUrl: "https://agent.example.com",
  };
}

/** Sends a request through the route of webhooks, whose inbox is here. */
export async function handle(
  under: ChannelUnderEval,
  request: Request,
  context: ChannelContext<unknown>,
): Promise<Handled> {
  let events: readonly InboundEvent[] | undefined;
  let wasRefused = false;
  const response = await answerWebhook(
    request,
    { channel: under.channel, context },
    async (taken) => {
      events = taken;
      return taken.map(() => ({ kind: "accepted" }));
    },
    (refusal) => {
      wasRefused = true;
      return refusal;
    },
  ).catch((error: unknown) => new Response(String(error), { status: 500 }));
  return {
    response,
    events: events ?? [],
    kind: wasRefused ? "refused" : events === undefined ? "answered" : "messages",
  };
}
