import { expect, test } from "vitest";
import type { AgentEvent, EventBody } from "../../src/agent/events.ts";
import { createPrinter } from "../../src/cli/printer.ts";
import { NO_USAGE } from "../../src/models/message.ts";

test("words are written as they come, and the whole message adds nothing to them", () => {
  expect(printed([delta("Good "), delta("morning."), message("Good morning.")])).toBe("Good morning.\n");
});

test("a message of which the beginning was heard is completed", () => {
  expect(printed([delta("Good mor"), message("Good morning.")])).toBe("Good morning.\n");
});

test("a message that nobody heard coming is written whole", () => {
  expect(printed([message("Good morning.")])).toBe("Good morning.\n");
});

test("words that another try voids are marked as such, and the new ones begin on their own line", () => {
  const restart: EventBody = { type: "assistant", phase: "restart", attempt: 2 };
  expect(printed([delta("Good mor"), restart, delta("Hello"), message("Hello.")])).toBe(
    "Good mor\n(interrupted; trying again)\nHello.\n",
  );
});

test("a message that says something else than what was heard is written anew", () => {
  expect(printed([delta("Good mor"), message("Hello.")])).toBe("Good mor\n(replaces the text above)\nHello.\n");
});

test("a reply that means silence is not written, and what only begins like one is", () => {
  expect(printed([delta("NO_"), delta("REPLY"), message("NO_REPLY")])).toBe("");
  expect(printed([delta("NO"), delta("NE of it."), message("NONE of it.")])).toBe("NONE of it.\n");
});

test("a tool call is one line with what it is about, and a failure says why", () => {
  const start: EventBody = { type: "tool", phase: "start", callId: "c1", tool: "read", args: { path: "SOUL.md" } };
  const failed = result("There is no\nfile SOUL.md", true);
  expect(printed([delta("Let me see."), message("Let me see."), start, failed])).toBe(
    "Let me see.\n· read SOUL.md\n  failed: There is no file SOUL.md\n",
  );
});

test("a tool call whose start was missed is told by its result", () => {
  expect(printed([result("the file", false)])).toBe("· read\n");
});

test("a failed run says why on a line of its own", () => {
  const error = { code: "model_error", message: "The model is overloaded." } as const;
  expect(printed([delta("Good mor"), { type: "lifecycle", phase: "error", error }])).toBe(
    "Good mor\n✗ The model is overloaded.\n",
  );
});

test("only a terminal gets escape sequences", () => {
  const start: EventBody = { type: "tool", phase: "start", callId: "c1", tool: "ls", args: {} };
  expect(printed([start], true)).toBe("\x1b[2m· ls\x1b[22m\n");
});

function printed(bodies: EventBody[], styled = false): string {
  const print = createPrinter(styled);
  return bodies.map((body, index) => print({ ...body, runId: "run_1", seq: index + 1, ts: 0 } as AgentEvent)).join("");
}

function delta(text: string): EventBody {
  return { type: "assistant", phase: "delta", text };
}

function message(text: string): EventBody {
  const head = { id: "a1", at: 0, role: "assistant", stop: "stop", usage: NO_USAGE, model: "offline/rules" } as const;
  return { type: "assistant", phase: "message", message: { ...head, parts: [{ type: "text", text }] } };
}

function result(text: string, isError: boolean): EventBody {
  return {
    type: "tool",
    phase: "end",
    message: { id: "t1", at: 0, role: "tool", callId: "c1", tool: "read", text, isError },
  };
}
