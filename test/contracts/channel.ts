import { beforeEach, describe, expect, test } from "vitest";
import type {
  Channel,
  ChannelContext,
  InboundMessage,
  OutboundPart,
  ReceiveResult,
  Target,
} from "../../src/channels/channel.ts";
import { MAX_WEBHOOK_BYTES } from "../../src/channels/webhook.ts";
import { IsopodError } from "../../src/lib/errors.ts";

/** What the platform's server is to do with the next delivery. */
export type PlatformBehaviour = "busy" | "refusing" | "silent" | "cut after taking";

/** A channel with a platform on the other end. */
export interface ChannelUnderTest<Account> {
  channel: Channel<Account>;
  context: ChannelContext<Account>;
  /** The least that an account has to say. */
  minimalAccount: Record<string, unknown>;
  target: Target;
  /** Values that must show up nowhere. */
  secrets: string[];
  /** The id of a message there, as the platform makes them; `5` where absent. */
  messageId?: string;
  /** Most characters of one part. */
  maxPart: number;
  /** Where the message of `genuine` is; `direct` where absent. */
  place?: Target["kind"];
  /**
   * A webhook call that the platform made, of a direct message that says "hello"; the same one every time. Absent, as
   * the next two, if nothing comes by a webhook.
   */
  genuine?(): Request | Promise<Request>;
  /** A call with this body that is otherwise genuine. A stream is sent as it comes, signed or not. */
  genuineWith?(body: BodyInit): Request | Promise<Request>;
  /** The same call by somebody who does not know the secret. */
  forged?(): Request | Promise<Request>;
  /** Methods besides POST that the webhook takes, for handshakes. */
  methods?: readonly string[];
  /** Bodies that the platform never sends; those of JSON where absent. */
  nonsense?: readonly BodyInit[];
  /** A call that brings a message with a file, and the file's contents at the platform; absent if it has none. */
  withFile?(): Promise<{ request: Request; contents: string }>;
  /** The same context in which no secret is set. */
  withoutSecrets(): ChannelContext<Account>;
  /** What a part shows, as the platform reads its markup; throws for markup that it does not read. */
  shown(part: string): string;
  /** Absent, as `taken`, if nothing leaves the session. */
  behave?(behaviour: PlatformBehaviour): Promise<void>;
  /** The platform carries a delivery out once, however often it is sent: one whose answer was lost is tried again. */
  sendsOnce?: true;
  /** How long a busy platform asks to wait; 7 seconds where absent. */
  busyMs?: number;
  /** What the platform is given for a part, where that is not the part itself. */
  written?(part: string): string;
  /** The texts that the platform took, in order. */
  taken?(): Promise<string[]>;
}

/** What every channel promises, whatever its platform. */
export function channelContract<Account>(
  name: string,
  make: () => ChannelUnderTest<Account> | Promise<ChannelUnderTest<Account>>,
): void {
  describe(`${name} keeps the contract of a channel`, () => {
    let at: ChannelUnderTest<Account>;
    beforeEach(async () => {
      at = await make();
    });

    const receive = async (request: Request | Promise<Request>, context = at.context) =>
      at.channel.receive(await request, context);
    const send = (text: string, signal = new AbortController().signal) => {
      const part: OutboundPart = { target: at.target, text, deliveryId: "dlv_1" };
      return at.channel.send(part, at.context, signal);
    };
    const expectNoSecrets = (value: unknown) => {
      for (const secret of at.secrets) expect(JSON.stringify(value)).not.toContain(secret);
    };
    /** Whether there is a platform that can behave so. */
    const behaves = async (behaviour: PlatformBehaviour) => {
      await at.behave?.(behaviour);
      return at.behave !== undefined;
    };
    const expectTaken = async (texts: string[]) => {
      if (at.taken !== undefined) expect(await at.taken()).toEqual(texts);
    };
    const expectRefused = async (request: Request | Promise<Request>, status: number, context = at.context) => {
      const received = await receive(request, context);
      if (received.kind !== "refused") throw new Error(`expected a refusal with ${status}, got ${received.kind}`);
      expect(received.response.status).toBe(status);
      const body = await received.response.json<{ error: { code: string; message: string } }>();
      expect(body.error).toEqual({ code: expect.any(String), message: expect.any(String) });
      expectNoSecrets(body);
      return received.response;
    };

    describe("who can be written to", () => {
      test("it is ready with its secrets, and not without them", () => {
        expect(at.channel.isReady(at.context)).toBe(true);
        expect(at.channel.isReady(at.withoutSecrets())).toBe(false);
      });

      test("it knows a conversation that it has delivered to by its id, and no other text", () => {
        const { kind, conversationId: id } = at.target;
        expect(at.channel.conversationOf?.(id) ?? { kind, id }).toEqual({ kind, id });
        expect(at.channel.conversationOf?.("no such place\n")).toBeUndefined();
      });
    });

    describe("its account", () => {
      test("takes the least and fills in the rest", () => {
        expect(at.channel.account.safeParse(at.minimalAccount).error).toBeUndefined();
      });

      test("refuses a field that it does not know, by name", () => {
        const { error } = at.channel.account.safeParse({ ...at.minimalAccount, colour: "blue" });
        expect(error?.message).toContain("colour");
      });
    });

    describe("its webhook", () => {
      test("hands over what a person said, under the same id when it is called again", async () => {
        if (at.genuine === undefined) return;
        const [first, second] = [await receive(at.genuine()), await receive(at.genuine())];
        const [message, again] = [onlyMessage(first), onlyMessage(second)];
        expect(message).toMatchObject({ text: "hello", mentioned: true, conversation: { kind: at.place ?? "direct" } });
        expect(message.dedupeId).not.toBe("");
        expect(again.dedupeId).toBe(message.dedupeId);
        expectNoSecrets(first);
      });

      test("takes no method but POST and those of its handshakes, and says so", async () => {
        if (at.genuine === undefined) return;
        const { methods = [] } = at;
        for (const method of ["GET", "PUT", "DELETE"].filter((one) => !methods.includes(one))) {
          const response = await expectRefused(new Request((await at.genuine()).url, { method }), 405);
          expect(response.headers.get("Allow")?.split(", ").sort()).toEqual(["POST", ...methods].sort());
        }
      });

      test("refuses a caller without the secret", async () => {
        if (at.forged !== undefined) await expectRefused(at.forged(), 401);
      });

      test("refuses everybody while no secret is set", async () => {
        if (at.genuine !== undefined) await expectRefused(at.genuine(), 401, at.withoutSecrets());
      });

      test("refuses a body over the limit, announced or not", async () => {
        if (at.genuineWith === undefined) return;
        const large = new Uint8Array(MAX_WEBHOOK_BYTES + 1).fill(32);
        await expectRefused(at.genuineWith(large), 413);
        const chunks = Array.from({ length: 5 }, () => large.slice(0, MAX_WEBHOOK_BYTES / 4));
        const streamed = await at.genuineWith(streamOf(chunks));
        expect(streamed.headers.get("Content-Length")).toBeNull();
        await expectRefused(streamed, 413);
      });

      test("refuses what is not JSON, or not what the platform sends", async () => {
        if (at.genuineWith === undefined) return;
        for (const body of at.nonsense ?? NO_JSON) await expectRefused(at.genuineWith(body), 400);
      });

      test("hands over a file as a reference that can be stored, and downloads it later", async () => {
        const sent = await at.withFile?.();
        if (sent === undefined) return;
        const [attachment] = onlyMessage(await receive(sent.request)).attachments;
        if (attachment === undefined || !("reference" in attachment)) throw new Error("expected a reference");
        expectNoSecrets(attachment);
        const reference = JSON.parse(JSON.stringify(attachment.reference));
        const open = (context = at.context) =>
          at.channel.openAttachment?.(reference, context, new AbortController().signal);
        expect(await new Response(await open()).text()).toBe(sent.contents);
        expect(await new Response(await open()).text()).toBe(sent.contents);
        await at.behave?.("refusing");
        const failure = await open()?.catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(IsopodError);
        expectNoSecrets(String(failure));
      });
    });

    describe("its markup", () => {
      test("shows nothing for a reply that says nothing", () => {
        expect(at.channel.format("")).toEqual([]);
        expect(at.channel.format(" \n\n ")).toEqual([]);
      });

      test("shows a plain reply as it is, with what looks like markup in it", () => {
        const [part = "", ...rest] = at.channel.format('1 < 2 && 3 > 2, says "A" \\*not bold\\*');
        expect(rest).toEqual([]);
        expect(at.shown(part)).toBe('1 < 2 && 3 > 2, says "A" *not bold*');
      });

      test("cuts a long reply into parts within the limit that lose nothing", () => {
        const paragraph = "The quick brown fox 跳过了那只懒狗。 ".repeat(40).trim();
        const count = Math.max(30, Math.ceil((1.5 * at.maxPart) / paragraph.length));
        const reply = Array.from({ length: count }, (_, n) => `${n}: ${paragraph}`).join("\n\n");
        const parts = at.channel.format(reply);
        expect(parts.length).toBeGreaterThan(1);
        for (const part of parts) expect(part.length).toBeLessThanOrEqual(at.maxPart);
        expect(squeeze(parts.map(at.shown).join(""))).toBe(squeeze(reply));
      });

      test("makes the same parts of the same reply, so that a retry sends what was stored", () => {
        const reply = "# Hello\n\n- **a**\n- `b`\n\n```ts\nlet c = 1;\n```";
        expect(at.channel.format(reply)).toEqual(at.channel.format(reply));
      });
    });

    describe("a delivery", () => {
      test("says under which id the platform keeps it", async () => {
        const [text = ""] = at.channel.format("**hello**");
        expect(await send(text)).toEqual({ outcome: "delivered", externalId: expect.stringMatching(/./) });
        await expectTaken([at.written?.(text) ?? text]);
      });

      test("waits as long as a busy platform says", async () => {
        if (!(await behaves("busy"))) return;
        const delivery = await send("hello");
        expect(delivery).toMatchObject({ outcome: "retry", afterMs: at.busyMs ?? 7_000 });
        expectNoSecrets(delivery);
      });

      test("fails when the platform refuses for good", async () => {
        if (!(await behaves("refusing"))) return;
        const delivery = await send("hello");
        expect(delivery).toMatchObject({ outcome: "failed", reason: expect.stringMatching(/./) });
        expectNoSecrets(delivery);
      });

      test("is unsure when the answer is lost, unless it may be sent again", async () => {
        if (!(await behaves("cut after taking"))) return;
        const delivery = await send("hello");
        expect(delivery).toMatchObject({ outcome: at.sendsOnce ? "retry" : "unsure" });
        expectNoSecrets(delivery);
        await expectTaken(["hello"]);
      });

      test("is unsure when the platform does not answer, and ends when it is told to", async () => {
        if (!(await behaves("silent"))) return;
        const delivery = await send("hello", AbortSignal.timeout(200));
        expect(delivery).toMatchObject({ outcome: at.sendsOnce ? "retry" : "unsure" });
        expectNoSecrets(delivery);
      });

      test("that is stopped before it began sends nothing", async () => {
        expect(await send("hello", AbortSignal.abort())).toMatchObject({ outcome: "retry" });
        await expectTaken([]);
      });

      test("fails, and says what to set, while no secret is set", async () => {
        const part: OutboundPart = { target: at.target, text: "hello", deliveryId: "dlv_1" };
        const delivery = await at.channel.send(part, at.withoutSecrets(), new AbortController().signal);
        expect(delivery).toMatchObject({ outcome: "failed", reason: expect.stringMatching(/[A-Z_]{4,}/) });
      });
    });

    describe("a file, where the platform takes any", () => {
      const sendFile = async (context = at.context, signal = new AbortController().signal) => {
        const bytes = new Uint8Array([97]);
        const isTaken = at.channel.takesFile?.({ mediaType: "text/plain", bytes }) ?? true;
        const kind = isTaken ? { name: "a.txt", mediaType: "text/plain" } : { name: "a.png", mediaType: "image/png" };
        const file = { target: at.target, deliveryId: "dlv_2", ...kind, bytes, asVoice: false };
        return at.channel.sendFile?.(file, context, signal);
      };
      const expectOutcome = async (outcome: string, sending = sendFile()) => {
        const delivery = await sending;
        if (at.channel.sendFile === undefined) return;
        expect(delivery).toMatchObject({ outcome });
        expectNoSecrets(delivery);
      };

      test("comes out as a text does", async () => {
        await expectOutcome("delivered");
        await at.behave?.("busy");
        await expectOutcome("retry");
        await at.behave?.("refusing");
        await expectOutcome("failed");
        await at.behave?.("cut after taking");
        await expectOutcome("unsure");
      });

      test("is not sent once it was stopped, nor without a secret", async () => {
        await expectOutcome("retry", sendFile(at.context, AbortSignal.abort()));
        await expectOutcome("failed", sendFile(at.withoutSecrets()));
      });
    });

    test("a reaction, where there are any, says how it came out", async () => {
      const { reactions } = at.channel;
      if (reactions === undefined) return;
      const { target, messageId = "5" } = at;
      const react = (context = at.context) =>
        reactions.react({ target, messageId, emoji: "👍" }, context, new AbortController().signal);
      expect(await react()).toMatchObject({ outcome: "delivered" });
      await at.behave?.("refusing");
      expectNoSecrets(await react());
      expect(await react(at.withoutSecrets())).toMatchObject({ outcome: "failed" });
    });

    test("a look at an account never fails, says how to mend what is not well, and no secret", async () => {
      const look = async (context = at.context, signal = new AbortController().signal) => {
        const scanned = await at.channel.check?.(context, "https://isopod.test/channels/x/y/webhook", signal);
        if (scanned === undefined) return [];
        expect(scanned).not.toEqual([]);
        for (const finding of scanned) if (finding.status !== "ok") expect(finding.fix).toMatch(/\S/);
        expectNoSecrets(scanned);
        return scanned;
      };
      await look();
      expect((await look(at.withoutSecrets())).every(({ status }) => status === "fail")).toBe(true);
      for (const behaviour of ["busy", "refusing", "cut after taking"] as const) {
        await at.behave?.(behaviour);
        await look();
      }
      await look(at.context, AbortSignal.abort());
    });

    test("typing never fails, whatever the platform does", async () => {
      await at.channel.typing?.({ target: at.target }, at.context);
      await at.behave?.("refusing");
      await at.channel.typing?.({ target: at.target }, at.context);
      await at.channel.typing?.({ target: at.target }, at.withoutSecrets());
    });
  });
}

const NO_JSON: readonly BodyInit[] = ["", "{", "[]", "null", '"hello"', "{}", new Uint8Array([0xff, 0xfe])];

/** The one message that a request brings. */
function onlyMessage(received: ReceiveResult): InboundMessage {
  const [event, ...others] = received.kind === "events" ? received.events : [];
  if (event?.kind === "message" && others.length === 0) return event;
  const why = received.kind === "answered" ? `: ${received.reason}` : "";
  throw new Error(`expected one message, got ${received.kind}${why}`);
}

function streamOf(chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

/** White space between two parts is the platform's to show. */
function squeeze(text: string): string {
  return text.replace(/\s+/g, "");
}
