import { expect, test } from "vitest";
import { chatOf, hear, sentTo, settled } from "./chats.ts";
import { finished, script, waitFor } from "./client.ts";

const answer = async (runId: string) => ((await finished(runId)) as { reply?: string }).reply;

test("/continue says in the owner's chat on the named channel how far the conversation is", async () => {
  const name = "continue-web";
  await script(name, [{ text: "Your flight leaves at nine." }]);
  // The page has no conversation of a channel.
  const page = { channel: "webhook", accountId: "default", kind: "direct", conversationId: "page" } as const;
  const here = chatOf(45);
  await settled(await hear(name, here, "When do I fly?"), here);
  const before = (await sentTo(chatOf(42))).length;
  const runId = await hear(name, page, "/continue telegram");
  expect(await answer(runId)).toContain("Go on in your chat on telegram");
  await waitFor(async () => (await sentTo(chatOf(42))).length > before);
  expect((await sentTo(chatOf(42))).at(-1)).toContain(
    "Let us go on here. The last thing I said:\n\nYour flight leaves at nine.",
  );
});

test("/continue to a channel where the owner is not known names those where they are", async () => {
  const name = "continue-nowhere";
  const page = { channel: "webhook", accountId: "default", kind: "direct", conversationId: "page" } as const;
  const runId = await hear(name, page, "/continue pigeon");
  expect(await answer(runId)).toContain("not known as an owner on `pigeon`, only on `telegram`");
  expect(await answer(await hear(name, page, "/continue"))).toContain("`telegram`");
});
