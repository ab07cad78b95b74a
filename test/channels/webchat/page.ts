import type { WebchatContext } from "../../../src/channels/webchat/account.ts";
import { newVisitor, type Visitor, visitorToken } from "../../../src/channels/webchat/visitor-token.ts";
import { webchat } from "../../../src/channels/webchat/webchat.ts";
import { type DataKey, readDataKey } from "../../../src/security/data-key.ts";

export const ORIGIN = "https://shop.example";
const NOW = 1_790_000_000_000;

/** The data key of these tests, or another one. */
export function testKey(fill = "k"): DataKey {
  const key = readDataKey(Buffer.alloc(32, fill).toString("base64"));
  if (key === undefined || key === "malformed") throw new Error("There is no key.");
  return key;
}

/** An account with one page, and what its chat box sends. */
export function makePage(account: Record<string, unknown> = {}) {
  const context: WebchatContext = {
    accountId: "default",
    account: webchat.account.parse({ allowedOrigins: [ORIGIN], ...account }),
    secret: () => undefined,
    fetch: () => Promise.reject(new Error("There is no network.")),
    now: () => NOW,
    dataKey: testKey(),
  };
  const visitor: Visitor = { ...newVisitor(context), id: "vTheSameVisitor" };
  const request = async (body: BodyInit, { token, origin = ORIGIN }: { token?: string; origin?: string } = {}) => {
    const headers = {
      Authorization: `Bearer ${token ?? (await visitorToken(visitor, ORIGIN, context))}`,
      Origin: origin,
    };
    return new Request("https://isopod.test/channels/webchat/default/messages", { method: "POST", headers, body });
  };
  return { context, visitor, request };
}
