import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { ScriptedApi, TOKEN } from "../e2e/scripted-api.ts";
import { Command, endCommands } from "./command.ts";
import { freePort } from "./free-port.ts";

let api: ScriptedApi;

beforeEach(async () => {
  api = await ScriptedApi.start();
});
afterEach(async () => {
  await endCommands();
  await api.stop();
});

test("a message on the command line is answered in words as they come", async () => {
  api.script = (run) => run.stream(`You said ${run.text}.`);
  const chat = talk(["good", "morning"]);
  assert.equal(await chat.ended, 0);
  assert.equal(chat.out, "You said good morning.\n");
});

test("every line of the input is a message, each answered before the next is sent", async () => {
  const chat = talk([]);
  chat.type("one");
  chat.type("two");
  chat.endInput();
  assert.equal(await chat.ended, 0);
  assert.equal(chat.out, "You said: one\nYou said: two\n");
});

test("a tool call is shown in one line", async () => {
  api.script = async (run) => {
    run.message([{ type: "tool-call", callId: "c1", tool: "read", args: { path: "SOUL.md" } }], "tool-calls");
    run.toolStarts("c1", "read", { path: "SOUL.md" });
    run.toolEnds("c1", "read", "Be kind.");
    run.answer("It says: be kind.");
  };
  const chat = talk(["read it"]);
  await chat.ended;
  assert.equal(chat.out, "· read SOUL.md\nIt says: be kind.\n");
});

test("a connection that breaks in the middle of a reply leaves neither a gap nor anything twice", async () => {
  api.script = async (run) => {
    for (const word of ["one ", "two ", "three "]) run.say(word);
    await run.wait(200);
    api.dropReaders();
    run.say("four ");
    await run.wait(900);
    run.say("five ");
    run.answer("one two three four five six");
  };
  const chat = talk(["count"]);
  assert.equal(await chat.ended, 0);
  assert.equal(chat.out, "one two three four five six\n");
  assert.match(chat.err, /Connection lost/);
});

test("a message whose acceptance is lost on its way is sent again and is one run", async () => {
  api.loseAnswers(1);
  const chat = talk(["hello"]);
  assert.equal(await chat.ended, 0);
  assert.equal(chat.out, "You said: hello\n");
  assert.equal(api.posts, 2);
  assert.equal(api.accepted.size, 1);
});

test("a message that joins a run that is at work is answered by that run", async () => {
  const joined = Promise.withResolvers<void>();
  api.script = async (run) => {
    run.say("one ");
    await joined.promise;
    run.answer("one two");
  };
  await api.receive("Count");
  api.waits = () => true;
  const chat = talk(["Faster"]);
  await chat.says("(queued)");
  api.emit("run_2", { type: "queue", phase: "joined", intoRunId: "run_1" });
  joined.resolve();
  assert.equal(await chat.ended, 0);
  assert.equal(chat.out, "(queued)\none two\n");
});

test("Ctrl-C stops the reply, and without one ends the chat", async () => {
  api.script = async (run) => {
    run.say("Once upon a time");
    await run.wait(60_000);
  };
  const chat = talk([]);
  chat.type("tell me a story");
  await chat.says("Once upon a time");
  chat.signal("SIGINT");
  await chat.says("✗");
  api.script = async (run) => run.answer("Still here.");
  chat.type("and now?");
  await chat.says("Still here.");
  chat.signal("SIGINT");
  assert.equal(await chat.ended, 0);
});

test("a failed run says why and is the exit code of a single message", async () => {
  api.script = async () => {
    throw new Error("The model is overloaded.");
  };
  const chat = talk(["hello"]);
  assert.equal(await chat.ended, 1);
  assert.equal(chat.out, "✗ The model is overloaded.\n");
});

test("where nothing answers it says how to start Isopod", async () => {
  const port = await freePort();
  const chat = Command.run("chat", ["--url", `http://127.0.0.1:${port}`, "hello"], { ISOPOD_TOKEN: TOKEN });
  assert.equal(await chat.ended, 1);
  assert.equal(
    chat.err,
    `Nothing answers at http://127.0.0.1:${port}.\nStart Isopod with npm start, or give its address with --url.\n`,
  );
});

test("a token that is not the right one is named as the reason", async () => {
  const chat = Command.run("chat", ["--url", api.url, "hello"], { ISOPOD_TOKEN: "wrong" });
  assert.equal(await chat.ended, 1);
  assert.match(chat.err, /does not accept the access token/);
});

test("without any token it says how to get one", async () => {
  const chat = Command.run("chat", ["--vars", "/nonexistent/.dev.vars", "hello"]);
  assert.equal(await chat.ended, 1);
  assert.equal(chat.err, "There is no access token yet. Start Isopod first: npm start\n");
});

function talk(args: string[]): Command {
  return Command.run("chat", ["--url", api.url, ...args], { ISOPOD_TOKEN: TOKEN });
}
