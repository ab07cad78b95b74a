import { expect, test } from "vitest";
import { discord } from "../../../src/channels/discord/discord.ts";
import { interaction, makeApp, PUBLIC_KEY, signed } from "./test-app.ts";

async function receive(body: string, more: object = {}) {
  return discord.receive(await signed(body), { ...makeApp().context, ...more });
}

async function answer(body: object, outcome: object = { kind: "accepted" }, more: object = {}) {
  const received = await receive(JSON.stringify(body), more);
  if (received.kind === "answered") return received.response?.json();
  if (received.kind !== "events") throw new Error(received.kind);
  return received.answer?.([outcome as never]).json();
}

test("Discord's test of the address is answered", async () => {
  expect(await answer({ type: 1 })).toEqual({ type: 1 });
});

test("an option that is being typed gets no choices, and a kind of interaction that is not known an answer", async () => {
  expect(await answer(interaction({ type: 4 }))).toEqual({ type: 8, data: { choices: [] } });
  expect(await answer({ type: 77 })).toMatchObject({ type: 4, data: { flags: 64 } });
});

test("a question shows that the bot is thinking, and a pressed button nothing", async () => {
  expect(await answer(interaction())).toEqual({ type: 5 });
  const press = { type: 3, data: { component_type: 2, custom_id: "/status" }, message: { id: "1" } };
  expect(await answer(interaction(press))).toEqual({ type: 6 });
});

test("where no token can be kept, nothing is shown that could not be taken away again", async () => {
  expect(await answer(interaction(), { kind: "accepted" }, { losesTokens: true })).toMatchObject({
    type: 4,
    data: { flags: 64 },
  });
});

test("what no session takes up is told to the person alone, in words of its own or with the reason", async () => {
  const told = async (reason: string) =>
    (await answer(interaction(), { kind: "ignored", reason })) as {
      type: number;
      data: { content: string; flags: number };
    };
  expect(await told("the sender is not paired")).toMatchObject({
    type: 4,
    data: { flags: 64, content: expect.stringContaining("code") },
  });
  expect((await told("something new")).data.content).toContain("something new");
});

test("a key that is no key, or of another application, lets nothing in", async () => {
  for (const key of ["", "abc", PUBLIC_KEY.replace("d", "e"), "0".repeat(64)]) {
    const received = await receive(JSON.stringify(interaction()), { secret: () => key });
    expect(received).toMatchObject({ kind: "refused", response: { status: 401 } });
  }
});

test("the timestamp is signed with the body, so that neither can be moved to another", async () => {
  const request = await signed(JSON.stringify(interaction()));
  const body = await request.clone().text();
  const changed = (header: string, value: string) => {
    const headers = new Headers(request.headers);
    headers.set(header, value);
    return new Request(request.url, { method: "POST", headers, body });
  };
  const { context } = makeApp();
  for (const forged of [
    changed("X-Signature-Timestamp", "1790000001"),
    changed("X-Signature-Ed25519", "zz"),
    changed("X-Signature-Ed25519", "ab".repeat(64)),
  ]) {
    expect(await discord.receive(forged, context)).toMatchObject({ kind: "refused", response: { status: 401 } });
  }
  expect((await discord.receive(request, context)).kind).toBe("events");
});
