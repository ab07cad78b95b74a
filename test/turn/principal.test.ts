import { expect, test } from "vitest";
import { principalOf, systemSender } from "../../src/turn/principal.ts";

const said = (owner: boolean) => ({ role: "user", id: "m", at: 1, text: "Hi", sender: { id: "1", owner } }) as const;
const target = { channel: "telegram", accountId: "default", kind: "direct", conversationId: "42" } as const;

test.each([
  ["agent:main:main", "direct"],
  ["agent:main:hook:any", "direct"],
  ["agent:main:telegram:group:-1005", "group"],
  ["agent:main:telegram:channel:7", "channel"],
])("in the session %s an owner without a channel speaks as in a %s", (sessionKey, place) => {
  expect(principalOf([said(true)], { target: null, sessionKey }, undefined)).toEqual({ owner: true, place });
});

test("the principal of a channel message is in the conversation of that channel", () => {
  const where = { target, sessionKey: "agent:main:main" };
  expect(principalOf([said(false)], where, undefined)).toMatchObject({ owner: false, place: "direct" });
});

test("what the system says for a person's turn keeps the rules of that person, in any conversation", () => {
  const sessionKey = "agent:main:main";
  const first = principalOf([said(true)], { target, sessionKey }, undefined);
  const woken = { ...said(true), sender: systemSender(first) };
  expect(first.sender).toBe("telegram:1");
  expect(principalOf([woken], { target, sessionKey }, undefined)).toEqual(first);
  expect(principalOf([woken], { target: null, sessionKey }, undefined).sender).toBe("telegram:1");
  const ofNobody = { ...said(true), sender: systemSender({ owner: true }) };
  expect(principalOf([ofNobody], { target, sessionKey }, undefined).sender).toBeUndefined();
});
