import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";

const ADDRESS = "198.51.100.7";

/** Sends an empty Telegram update, which is taken and answered by nothing. */
function update(account: string, secret: string): Promise<Response> {
  return SELF.fetch(`https://isopod.test/channels/telegram/${account}/webhook`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-Telegram-Bot-Api-Secret-Token": secret,
      "CF-Connecting-IP": ADDRESS,
    },
    body: JSON.stringify({ update_id: 1 }),
  });
}

test("after ten wrong secrets from an address its webhook answers 429, another webhook and the right secret do not", async () => {
  for (let n = 0; n < 10; n++) expect((await update("default", "guess")).status).toBe(401);
  const refused = await update("default", "guess");
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
  expect((await update("blocks", "guess")).status).toBe(401);
  expect((await update("default", "flow-webhook-secret")).status).toBe(200);
});
