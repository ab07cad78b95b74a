import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, openBrowser } from "./browser.ts";
import { ScriptedApi, TOKEN } from "./scripted-api.ts";
import { scriptedPrompt } from "./scripted-prompt.ts";

let browser: Browser;
let api: ScriptedApi;
let page: Page;

before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());
beforeEach(async () => {
  api = await ScriptedApi.start();
  page = await browser.context.newPage();
});
afterEach(async () => {
  await page.close();
  await api.stop();
  assert.deepEqual(browser.troubles.splice(0), [], "nothing went wrong in the browser");
});

test("the token in the address signs in and is gone from the address at once", async () => {
  await enter();
  assert.equal(page.url(), `${api.url}/`);
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
  assert.ok(!kept.includes(TOKEN), "no script can read the token afterwards");
});

test("a wrong token is refused in words, and the right one then lets in", async () => {
  await page.goto(api.url);
  await page.getByLabel("Access token").fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("That token is wrong").waitFor();
  await page.getByLabel("Access token").fill(TOKEN);
  await page.keyboard.press("Enter");
  await composer().waitFor();
});

test("what is said on another channel shows on the page as it is said", async () => {
  await enter();
  api.script = (run) => run.stream("It is three o'clock.");
  await api.receive("What time is it?", { id: "42", name: "Ann", owner: false });
  await said().getByText("It is three o'clock.").waitFor();
  await said().getByText(/^Ann/).waitFor();
});

test("words, thoughts and tool calls show while they happen; the latter two are closed until they are opened", async () => {
  const later = Promise.withResolvers<void>();
  api.script = async (run) => {
    run.think("She wants me to remember it.");
    await run.wait(100);
    run.message(
      [
        { type: "reasoning", text: "She wants me to remember it." },
        { type: "tool-call", callId: "c1", tool: "write", args: { path: "MEMORY.md", content: "Mochi" } },
      ],
      "tool-calls",
    );
    run.toolStarts("c1", "write", { path: "MEMORY.md" });
    run.toolSays("c1", "write", "half of it is written");
    await later.promise;
    run.toolEnds("c1", "write", "Wrote 5 bytes.");
    run.say("I will ");
    await run.wait(100);
    run.answer("I will **remember** it.");
  };
  await enter();
  await send("My cat is called Mochi");
  const tool = page.locator(".tool");
  await tool.getByText("running").waitFor();
  assert.equal(await tool.getByText("half of it is written").isVisible(), false);
  await tool.locator("summary").click();
  await tool.getByText("half of it is written").waitFor();
  await tool.locator("summary").click();
  later.resolve();
  await page.locator("strong", { hasText: "remember" }).waitFor();
  await tool.locator("summary").click();
  await tool.getByText("Wrote 5 bytes.").waitFor();
  assert.equal(await page.getByText("She wants me to remember it.").isVisible(), false);
  await page.getByText("Thoughts").click();
  await page.getByText("She wants me to remember it.").waitFor();
});

test("a connection that breaks leaves neither a gap nor anything twice", async () => {
  api.script = async (run) => {
    for (const word of ["one ", "two ", "three "]) run.say(word);
    await run.wait(150);
    api.dropReaders();
    run.say("four ");
    await run.wait(700);
    run.answer("one two three four five");
  };
  await enter();
  await send("Count");
  await said().getByText("one two three four five").waitFor();
  assert.equal(await page.locator(".rich").count(), 1);
});

test("a page that is opened in the middle of a reply shows what was said so far", async () => {
  api.script = async (run) => {
    run.say("Once upon ");
    await run.wait(60_000);
  };
  await enter();
  await send("Tell me a story");
  await said().getByText("Once upon").waitFor();
  await page.reload();
  await said().getByText("Once upon").waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor();
});

test("words that the model takes back are gone", async () => {
  const later = Promise.withResolvers<void>();
  api.script = async (run) => {
    run.say("The answer is 41");
    await later.promise;
    run.restart();
    run.say("The answer is 42");
    await run.wait(50);
    run.answer("The answer is 42.");
  };
  await enter();
  await send("What is the answer?");
  await said().getByText("The answer is 41").waitFor();
  later.resolve();
  await said().getByText("The answer is 42.").waitFor();
  assert.equal(await said().getByText("The answer is 41").count(), 0);
});

test("the stop button stops the run, and the page says that it was stopped, also after a reload", async () => {
  api.script = async (run) => {
    run.say("Once upon a time");
    await run.wait(60_000);
  };
  await enter();
  await send("Tell me a story");
  await page.getByRole("button", { name: "Stop" }).click();
  await said().getByText("Stopped.").waitFor();
  await page.reload();
  await said().getByText("Stopped.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Stop" }).count(), 0);
});

test("a run that fails says why", async () => {
  api.script = async () => {
    throw new Error("The model is overloaded.");
  };
  await enter();
  await send("Hello");
  await page.getByRole("alert").getByText("This answer failed: The model is overloaded.").waitFor();
});

test("a failed answer can be tried again, until something else was said", async () => {
  api.script = async () => {
    throw new Error("The model is overloaded.");
  };
  await enter();
  await send("Hello");
  const again = page.getByRole("button", { name: "Try again" });
  await again.waitFor();
  api.script = async (run) => run.answer("Here I am.");
  await again.click();
  await said().getByText("Here I am.").waitFor();
  assert.equal(api.accepted.size, 2);
  assert.equal(await said().getByText("/retry").count(), 1);
  assert.equal(await again.count(), 0);
});

test("a tool call that waits for a person's word asks for it, also after a reload, and goes on", async () => {
  api.script = async (run) => {
    run.message([{ type: "tool-call", callId: "c1", tool: "exec", args: { command: "rm notes.md" } }], "tool-calls");
    run.answer(`You said ${await api.ask(run.runId, "c1", "exec", "May I delete notes.md?")}.`);
  };
  await enter();
  await send("Clean up");
  await said().getByText("May I delete notes.md?").waitFor();
  await page.reload();
  await said().getByText("May I delete notes.md?").waitFor();
  await page.getByRole("button", { name: "Deny" }).click();
  await said().getByText("You said deny.").waitFor();
  assert.equal(await said().getByText("May I delete notes.md?").count(), 0);
});

test("a message that waits says so, and shows where it joins the run", async () => {
  const joins = Promise.withResolvers<void>();
  api.script = async (run) => {
    if (run.text === "Count") {
      run.say("one ");
      await joins.promise;
      const input = { id: "msg_join", at: Date.now(), role: "user", text: "Faster", fromRunId: "run_2" } as const;
      api.emit(run.runId, { type: "queue", phase: "joining", input });
      run.answer("Two, three, four.");
    }
  };
  api.waits = (text) => text === "Faster";
  await enter();
  await send("Count");
  await said().getByText("one", { exact: true }).waitFor();
  await send("Faster");
  await said().getByText("Queued").waitFor();
  joins.resolve();
  await said().getByText("Two, three, four.").waitFor();
  assert.equal(await said().getByText("Queued").count(), 0);
  assert.equal(await page.locator(".said", { hasText: "Faster" }).count(), 1);
});

test("a message written while the server is away goes out once it is back, and only once", async () => {
  await enter();
  api.down = true;
  await page.getByText("Connection lost").waitFor();
  await send("Are you there?");
  await page.getByText("Not sent yet").waitFor();
  api.down = false;
  await said().getByText("You said: Are you there?").waitFor({ timeout: 15_000 });
  assert.equal(await page.getByText("Connection lost").count(), 0);
  assert.equal(await page.locator(".said").count(), 1);
});

test("an unsent message survives the window and is sent by the next one", async () => {
  await enter();
  api.down = true;
  await send("Do not lose me");
  await page.getByText("Not sent yet").waitFor();
  await page.goto("about:blank");
  api.down = false;
  await page.goto(api.url);
  await said().getByText("You said: Do not lose me").waitFor();
  assert.equal(api.accepted.size, 1);
});

test("a message whose acceptance is lost on its way is one run and shows once", async () => {
  api.loseAnswers(2);
  await enter();
  await send("Hello");
  await said().getByText("You said: Hello").waitFor();
  await page.locator(".said:not(.sending)").waitFor();
  await page.waitForFunction(() => Object.keys(localStorage).every((key) => !key.includes("unsent")));
  assert.equal(api.posts, 3);
  assert.equal(api.accepted.size, 1);
  assert.equal(await page.locator(".said").count(), 1);
});

test("a refused message says why and can be taken back and changed", async () => {
  await enter();
  const text = "long ".repeat(2_500);
  await send(text);
  await page.getByText("The body is too large.").waitFor();
  await page.getByRole("button", { name: "Edit" }).click();
  assert.equal(await composer().inputValue(), text);
});

test("a half-written message is still there after a reload", async () => {
  await enter();
  await composer().fill("I was about to");
  await page.reload();
  await composer().waitFor();
  assert.equal(await composer().inputValue(), "I was about to");
});

test("when the login runs out the page asks for the token and keeps what was written", async () => {
  await enter();
  await composer().fill("I was about to");
  api.forgetLogins();
  await page.getByText("You were signed out").waitFor();
  await page.getByLabel("Access token").fill(TOKEN);
  await page.keyboard.press("Enter");
  await composer().waitFor();
  assert.equal(await composer().inputValue(), "I was about to");
});

test("signing out asks for the token again", async () => {
  await enter();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Access token").waitFor();
});

test("Enter sends, Shift+Enter makes a line, and an Enter that ends a composition does neither", async () => {
  await enter();
  await composer().fill("ni hao");
  await composer().dispatchEvent("keydown", { key: "Enter", isComposing: true });
  await composer().dispatchEvent("keydown", { key: "Enter", keyCode: 229 });
  assert.equal(await composer().inputValue(), "ni hao");
  await composer().press("Shift+Enter");
  await composer().pressSequentially("second line");
  assert.equal(await composer().inputValue(), "ni hao\nsecond line");
  await composer().press("Enter");
  await said().getByText("You said: ni hao").waitFor();
  assert.equal(api.posts, 1);
});

test("older messages come when the reader scrolls up, and the reader stays at the same words", async () => {
  await fill(80);
  await enter();
  await said().getByText("You said: message 80", { exact: true }).waitFor();
  assert.equal(await said().getByText("You said: message 20", { exact: true }).count(), 0);
  const first = said().getByText("You said: message 60", { exact: true });
  await first.scrollIntoViewIfNeeded();
  await page.locator(".transcript").evaluate((element) => element.scrollTo({ top: 300 }));
  const place = await page.evaluate(nearestWords);
  await said().getByText("You said: message 50", { exact: true }).waitFor({ state: "attached" });
  await page.waitForTimeout(100);
  const moved = await page.evaluate(nearestWords);
  assert.equal(moved.text, place.text);
  assert.ok(Math.abs(moved.top - place.top) < 3, `the words moved from ${place.top} to ${moved.top}`);
});

test("a reader at the end is taken along, one who has scrolled up is not", async () => {
  await fill(20);
  await enter();
  await said().getByText("You said: message 20", { exact: true }).waitFor();
  await api.receive("news 1");
  const one = said().getByText("You said: news 1");
  await one.waitFor();
  await page.waitForTimeout(200);
  assert.ok(await isInView("You said: news 1"));
  await page.locator(".transcript").evaluate((element) => element.scrollTo({ top: 600 }));
  await page.waitForTimeout(200);
  await api.receive("news 2");
  await said().getByText("You said: news 2").waitFor({ state: "attached" });
  assert.equal(await isInView("You said: news 2"), false);
  await page.getByRole("button", { name: "To the newest message" }).click();
  await page.waitForTimeout(200);
  assert.ok(await isInView("You said: news 2"));
});

test("a model's markup and pictures neither run nor load", async () => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).host));
  api.script = async (run) =>
    run.answer(
      "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>\n\n" +
        "![pixel](https://tracker.example/p.png) [click](javascript:document.title='owned') <b style='color:red'>b</b>",
    );
  await enter();
  await send("Attack me");
  await said().getByText("pixel").waitFor();
  assert.equal(await page.title(), "Isopod");
  assert.equal(await page.locator(".prose :is(img, script, [style], [href^='javascript'])").count(), 0);
  assert.deepEqual([...new Set(asked)], [new URL(api.url).host]);
});

test("the first steps show until they are dismissed, and never again", async () => {
  await enter();
  await page.getByRole("heading", { name: "Choose a model" }).waitFor();
  await page.getByText("Show me SOUL.md.").click();
  assert.equal(await composer().inputValue(), "Show me SOUL.md.");
  await page.getByRole("button", { name: "Dismiss" }).click();
  assert.equal(await page.getByText("First steps").count(), 0);
  await page.reload();
  await composer().waitFor();
  assert.equal(await page.getByText("First steps").count(), 0);
});

test("a code block can be copied", async () => {
  await browser.context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: api.url });
  api.script = async (run) => run.answer("```ts\nconst cat = 1;\n```");
  await enter();
  await send("Code");
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByText("Copied").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "const cat = 1;");
});

test("what the model would see opens over the conversation, section by section, and closes again", async () => {
  api.prompts = (path) =>
    path === "/v1/sessions/agent:main:main/context"
      ? scriptedPrompt({ window: 128_000, messages: { count: 4, tokens: 588 }, seeded: true })
      : undefined;
  await enter();
  await page.getByRole("button", { name: "Prompt" }).click();
  const dialog = page.getByRole("dialog", { name: "Prompt of the next turn" });
  await dialog.getByText("3,000 tokens of a window of 128,000").waitFor();
  assert.deepEqual(await dialog.locator(".shares :is(dt, dd)").allTextContents(), [
    ...["Rules", "420", "Workspace files", "1,800", "This turn", "72", "Tools", "120", "Conversation", "588"],
  ]);
  const widths = await dialog.locator(".bar span").evaluateAll((parts) => parts.map((part) => part.clientWidth));
  assert.ok(widths[1]! > 3 * widths[0]! && widths[1]! > 10 * widths[2]!, `the bar is drawn to scale: ${widths}`);
  assert.deepEqual(await dialog.locator(".part b, .boundary").allTextContents(), [
    ...["safety", "project-context", "Cache boundary: the part above is the same in every turn"],
    ...["weather/today", "runtime", "read"],
  ]);
  await dialog.getByText("plugin weather").waitFor();
  const safety = dialog.getByText("You have no goals of your own. <script>");
  assert.equal(await safety.isVisible(), false);
  await dialog.getByText("safety", { exact: true }).click();
  await safety.waitFor();
  await dialog.getByText("src/prompt/sections/conduct.ts").waitFor();
  await dialog.getByText("1,680 bytes").waitFor();
  assert.equal(await page.evaluate(() => "bad" in window), false);
  await dialog.getByText("20,000 / 31,000 characters").waitFor();
  assert.deepEqual(await dialog.locator(".files .flagged b").allTextContents(), ["SOUL.md", "USER.md"]);
  await dialog.getByText("read", { exact: true }).click();
  await dialog.getByText("Reads a file of the workspace.").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await composer().waitFor();
});

test("what the model was sent for a message opens from that message", async () => {
  const asked: string[] = [];
  api.prompts = (path) => {
    if (!path.endsWith("/prompt")) return undefined;
    asked.push(path);
    return path.includes("run_1") ? scriptedPrompt({ model: "fake/first" }) : undefined;
  };
  await enter();
  await send("First");
  await said().getByText("You said: First").waitFor();
  await send("/status");
  await said().getByText("You said: /status").waitFor();
  const look = said().getByRole("button", { name: "Prompt" });
  await look.nth(0).click();
  const dialog = page.getByRole("dialog", { name: "Prompt of this run" });
  await dialog.getByText("fake/first").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
  await look.nth(1).click();
  await dialog.getByRole("alert").getByText("Nothing is at /v1/runs/run_2/prompt").waitFor();
  assert.deepEqual(asked, ["/v1/runs/run_1/prompt", "/v1/runs/run_2/prompt"]);
});

/** What the page shows of the conversation; the same words are also told to screen readers, elsewhere. */
function said() {
  return page.getByRole("log");
}

function composer() {
  return page.getByLabel("Write a message");
}

async function enter(): Promise<void> {
  await page.goto(`${api.url}/#token=${TOKEN}`);
  await composer().waitFor();
}

async function send(text: string): Promise<void> {
  await composer().fill(text);
  await composer().press("Enter");
}

/** Gives the session so many turns of the past. */
async function fill(turns: number): Promise<void> {
  for (let turn = 1; turn <= turns; turn++) await api.receive(`message ${turn}`);
}

async function isInView(text: string): Promise<boolean> {
  const box = await said().getByText(text).boundingBox();
  const frame = await page.locator(".transcript").boundingBox();
  return box !== null && frame !== null && box.y >= frame.y - 1 && box.y + box.height <= frame.y + frame.height + 1;
}

/** The first reply below the upper edge, and where it stands. */
function nearestWords(): { text: string; top: number } {
  const replies = [...document.querySelectorAll(".rich")];
  const first = replies.find((reply) => reply.getBoundingClientRect().top > 200);
  return { text: first?.textContent ?? "", top: first?.getBoundingClientRect().top ?? 0 };
}
