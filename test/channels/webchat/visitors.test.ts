import { expect, test } from "vitest";
import { decideAccess } from "../../../src/channels/access.ts";
import { receive } from "../../../src/channels/webchat/receive.ts";
import { newVisitor, readVisitorToken, renewed, visitorToken } from "../../../src/channels/webchat/visitor-token.ts";
import { webchat } from "../../../src/channels/webchat/webchat.ts";
import { makePage, ORIGIN, testKey } from "./page.ts";

const DAY_MS = 86_400_000;

async function statusOf(given: Parameters<ReturnType<typeof makePage>["request"]>[1], account = {}): Promise<number> {
  const { context, request } = makePage(account);
  const received = await receive(await request(JSON.stringify({ id: "message-1", text: "hi" }), given), context);
  return received.kind === "refused" ? received.response.status : 200;
}

test("a token is the visitor's on pages of its own origin, with its own account, until it expires", async () => {
  const { context, visitor } = makePage();
  const token = await visitorToken(visitor, ORIGIN, context);
  expect(await readVisitorToken(token, ORIGIN, context)).toEqual(visitor);
  expect(await readVisitorToken(token, "https://other.example", context)).toBeUndefined();
  expect(await readVisitorToken(token, ORIGIN, { ...context, accountId: "other" })).toBeUndefined();
  expect(await readVisitorToken(token, ORIGIN, { ...context, dataKey: testKey("x") })).toBeUndefined();
  const later = context.now() + 30 * DAY_MS;
  expect(await readVisitorToken(token, ORIGIN, { ...context, now: () => later - 1000 })).toEqual(visitor);
  expect(await readVisitorToken(token, ORIGIN, { ...context, now: () => later })).toBeUndefined();
});

test("nobody changes who a token is for, or until when it is valid", async () => {
  const { context, visitor } = makePage();
  const token = await visitorToken(visitor, ORIGIN, context);
  const [id = "", until = "", signature = ""] = token.split(".");
  const changed = [
    `${id}x.${until}.${signature}`,
    `${id}.${until}0.${signature}`,
    `${id}.${until}`,
    `${token}.`,
    "",
    "…",
  ];
  for (const one of changed) expect(await readVisitorToken(one, ORIGIN, context)).toBeUndefined();
});

test("a visit renews a token for the same visitor, and new visitors are told apart", () => {
  const { context, visitor } = makePage({ visitorDays: 3 });
  expect(renewed(visitor, context)).toEqual({ id: visitor.id, expiresAt: (context.now() + 3 * DAY_MS) / 1000 });
  expect(newVisitor(context).id).not.toBe(newVisitor(context).id);
});

test("a message enters from a page that is named, and from no other", async () => {
  expect(await statusOf({})).toBe(200);
  expect(await statusOf({ origin: "https://shop.example.evil.example" })).toBe(401);
  expect(await statusOf({ origin: "null" })).toBe(401);
  expect(await statusOf({}, { allowedOrigins: [] })).toBe(401);
  expect(await statusOf({}, { dmPolicy: "disabled" })).toBe(401);
});

test("a message without words, too long, or with an id that is none is refused", async () => {
  const { context, request } = makePage();
  for (const body of [{ text: "hi" }, { id: "message-1", text: " " }, { id: "a b", text: "hi" }]) {
    expect(await receive(await request(JSON.stringify(body)), context)).toMatchObject({ kind: "refused" });
  }
  const long = JSON.stringify({ id: "message-1", text: "x".repeat(8_001) });
  expect(await receive(await request(long), context)).toMatchObject({ kind: "refused" });
});

test("a visitor is nobody's owner, whatever the configuration says of the id", async () => {
  const { context, visitor, request } = makePage();
  const received = await receive(await request(JSON.stringify({ id: "message-1", text: "hi" })), context);
  const [message] = received.kind === "events" ? received.events : [];
  if (message?.kind !== "message") throw new Error("expected a message");
  const decision = decideAccess({
    channelId: "webchat",
    policy: webchat.access(context.account),
    message,
    person: message.sender,
    pairedIds: new Set([visitor.id]),
    owners: [visitor.id, `webchat:${visitor.id}`],
  });
  expect(decision).toEqual({ kind: "allow", owner: false });
});

test("the sender is told of what was not taken up", async () => {
  const { context, request } = makePage();
  const received = await receive(await request(JSON.stringify({ id: "message-1", text: "hi" })), context);
  const answer = received.kind === "events" ? received.answer : undefined;
  expect(answer?.([{ kind: "accepted" }]).status).toBe(200);
  expect(answer?.([{ kind: "ignored", reason: "too much" }]).status).toBe(429);
  expect(answer?.([{ kind: "ignored", reason: "off", isUnwanted: true }]).status).toBe(403);
});

test("origins are named as browsers send them", () => {
  const origins = (allowedOrigins: string[]) => webchat.account.safeParse({ allowedOrigins }).data?.allowedOrigins;
  expect(origins(["https://Shop.example/", "http://localhost:8080"])).toEqual([ORIGIN, "http://localhost:8080"]);
  for (const origin of ["*", "shop.example", "https://shop.example/page", "file:///", "https://*.example"]) {
    expect(origins([origin]), origin).toBeUndefined();
  }
});

test("an account is off until a page is named", () => {
  const { context } = makePage();
  expect(webchat.isReady(context)).toBe(true);
  const off = makePage({ allowedOrigins: [] }).context;
  expect(webchat.isReady(off)).toBe(false);
  expect(webchat.access(off.account).dmPolicy).toBe("disabled");
});
