import { expect, test } from "vitest";
import { discord } from "../../../src/channels/discord/discord.ts";
import { makeApp } from "./test-app.ts";

const signal = new AbortController().signal;

async function open({ context }: ReturnType<typeof makeApp>, url: string): Promise<string> {
  return new Response(await discord.openAttachment?.({ url }, context, signal)).text();
}

test("an address that has expired is renewed once", async () => {
  const app = makeApp();
  const url = `${app.place.url}/files/a.txt`;
  await app.place.script({ path: "a.txt", status: 404 }, { path: "a.txt?renewed", body: "what it says" });
  expect(await open(app, url)).toBe("what it says");
  await app.place.script({ path: "a.txt", status: 404 }, { path: "a.txt?renewed", status: 404 });
  await expect(open(app, url)).rejects.toThrow("Discord answered 404");
});

test("nothing is fetched from another server than Discord's", async () => {
  const app = makeApp();
  let asked = 0;
  const context = { ...app.context, fetch: async () => new Response(String(++asked)) };
  for (const url of [
    "https://evil.test/a",
    "http://169.254.169.254/latest",
    "https://cdn.discordapp.com.evil.test/a",
  ]) {
    await expect(open({ ...app, context }, url)).rejects.toThrow("not on a server of Discord");
  }
  expect(asked).toBe(0);
  expect(await open({ ...app, context }, "https://cdn.discordapp.com/attachments/1/2/a.txt?ex=1")).toBe("1");
});
