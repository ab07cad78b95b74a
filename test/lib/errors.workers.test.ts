import { env } from "cloudflare:test";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { expect, test } from "vitest";
import { messageOf } from "../../src/lib/errors.ts";

test("the message of a failed statement is the database's, without the values", async () => {
  const said = "What nobody else is to read.";
  const failed = await drizzle(env.MEMORY)
    .run(sql`insert into nowhere (text) values (${said})`)
    .catch((error: unknown) => error);
  expect(messageOf(failed)).toContain("no such table: nowhere");
  expect(messageOf(failed)).not.toContain(said);
});

test("other thrown values have a message too", () => {
  expect(messageOf(new Error("It broke."))).toBe("It broke.");
  expect(messageOf("broken")).toBe("broken");
});
