import { discord } from "../../../src/channels/discord/discord.ts";
import { channelContract, type PlatformBehaviour } from "../../contracts/channel.ts";
import type { ScriptedPlatformAnswer } from "../../fakes/platforms/fake-platform.ts";
import { interaction, makeApp, signed } from "./test-app.ts";

const ANSWERS: Record<PlatformBehaviour, ScriptedPlatformAnswer> = {
  busy: { status: 429, body: { message: "You are being rate limited.", retry_after: 7, global: false } },
  refusing: { status: 403, body: { message: "Missing Access", code: 50001 } },
  silent: { hang: true },
  "cut after taking": { cut: "after" },
};

channelContract("discord", () => {
  const { place, context, botToken } = makeApp();
  const hello = interaction();
  return {
    channel: discord,
    context,
    minimalAccount: {},
    target: { channel: "discord", accountId: "default", kind: "channel", conversationId: "501" },
    secrets: [botToken, "secret-half-of-the-token"],
    maxPart: 2000,
    genuine: () => signed(JSON.stringify(hello)),
    genuineWith: async (body) =>
      body instanceof ReadableStream
        ? new Request("https://isopod.test/", { method: "POST", body })
        : signed(typeof body === "string" ? body : (body as Uint8Array<ArrayBuffer>)),
    async forged() {
      const { url, headers } = await signed(JSON.stringify(hello));
      return new Request(url, { method: "POST", headers, body: `${JSON.stringify(hello)} ` });
    },
    async withFile() {
      const url = `${place.url}/files/note.txt`;
      await place.script(
        { path: "files/note.txt", body: "what it says" },
        { path: "files/note.txt", body: "what it says" },
      );
      const file = { id: "7", filename: "note.txt", size: 12, url, content_type: "text/plain" };
      const options = [
        { name: "text", type: 3, value: "read this" },
        { name: "file", type: 11, value: "7" },
      ];
      const data = { id: "1", name: "ask", type: 1, options, resolved: { attachments: { 7: file } } };
      return { request: await signed(JSON.stringify(interaction({ data }))), contents: "what it says" };
    },
    withoutSecrets: () => ({ ...context, secret: () => undefined }),
    shown: (part) => part.replace(/\\([^\w\s])/g, "$1"),
    behave: (behaviour) => place.script(ANSWERS[behaviour]),
    async taken() {
      const calls = await place.calls("messages");
      return calls.filter(({ method }) => method === "POST").map(({ fields }) => String(fields.content));
    },
  };
});
