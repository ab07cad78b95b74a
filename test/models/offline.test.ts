import { describe, expect, test } from "vitest";
import type { Hit, MemorySource } from "../../src/memory/agent-memory.ts";
import type { Message } from "../../src/models/message.ts";
import { offlineModel } from "../../src/models/offline.ts";
import { hitsText } from "../../src/tools/memory-hits.ts";
import { modelContract } from "../contracts/model.ts";
import { asking, eventsOf, joined, modelSaid, partsText, replyOf, toolSaid, userSays } from "../contracts/model-lab.ts";

modelContract("offline", offlineModel);

const ALL_TOOLS = ["read", "write", "edit", "ls"];

/** A workspace as the tools show it, and a conversation about it. */
class Desk {
  readonly files = new Map<string, string>();
  readonly calls: string[] = [];
  readonly messages: Message[] = [];
  tools = ALL_TOOLS;
  search = "";

  /** Says something and lets the model work until it answers. */
  async ask(text: string): Promise<string> {
    this.messages.push(userSays(text));
    for (let step = 0; step < 10; step++) {
      const tools = this.tools.map((name) => ({ name, description: "", parameters: {} }));
      const reply = await replyOf(offlineModel(), asking({ messages: this.messages, tools }));
      this.messages.push(modelSaid(reply, "offline/rules"));
      const call = reply.parts.find((part) => part.type === "tool-call");
      if (call === undefined) return partsText(reply, "text");
      expect(reply.stop).toBe("tool-calls");
      expect(this.tools).toContain(call.tool);
      this.calls.push(call.tool);
      this.messages.push(this.run(call.callId, call.tool, call.args));
    }
    throw new Error("the model goes on calling tools");
  }

  // biome-ignore lint/suspicious/noExplicitAny: arguments of four tools, as a test reads them
  private run(callId: string, tool: string, args: any): Message {
    const failed = (text: string) => toolSaid(callId, tool, text, true);
    const done = (text: string) => toolSaid(callId, tool, text);
    const content = this.files.get(args.path);
    if (tool === "memory_search") return done(this.search);
    if (tool === "ls")
      return done([...this.files.keys()].filter((path) => path.startsWith(args.path ?? "")).join("\n"));
    if (tool === "write") {
      this.files.set(args.path, args.content);
      return done(`Wrote ${args.path}.`);
    }
    if (content === undefined) return failed(`There is no file \`${args.path}\`.`);
    if (tool === "read") return done(content || "(The file is empty.)");
    const [{ oldText, newText }] = args.edits;
    if (content.split(oldText).length !== 2) return failed("oldText must occur exactly once");
    this.files.set(
      args.path,
      content.replace(oldText, () => newText),
    );
    return done(`Edited ${args.path}.`);
  }
}

function hit(path: string, startLine: number, snippet: string, source: MemorySource = "memory"): Hit {
  const endLine = startLine + snippet.split("\n").length - 1;
  const citation = `${path}#L${startLine}${endLine === startLine ? "" : `-L${endLine}`}`;
  const keyword = { rank: 1, score: 0.5, terms: ["dentist"] };
  return {
    path,
    source,
    startLine,
    endLine,
    score: 0.5,
    snippet,
    citation,
    reason: { legs: "keyword", keyword, boosts: [] },
  };
}

describe("the offline rules", () => {
  test("say what they are and how to get a model, in the user's language", async () => {
    const desk = new Desk();
    for (const text of ["Who are you?", "What is the capital of France?", "How do I set up a model?"]) {
      expect(await desk.ask(text)).toMatch(/OPENAI_API_KEY[\s\S]*ANTHROPIC_API_KEY[\s\S]*OPENAI_BASE_URL/);
    }
    expect(await desk.ask("What is the capital of France?")).toContain("no language model is configured");
    expect(await desk.ask("法国的首都是哪里？")).toContain("还没有配置语言模型");
    expect(await desk.ask("你好")).toMatch(/^你好！/);
    expect(await desk.ask("Hello!")).toMatch(/^Hello!/);
    expect(desk.calls).toEqual([]);
  });

  test("remember a fact in a new memory file, and recall it", async () => {
    const desk = new Desk();
    expect(await desk.ask("Remember that my birthday is on 3 May.")).toBe(
      "Noted in MEMORY.md: my birthday is on 3 May.",
    );
    expect(desk.calls).toEqual(["read", "write"]);
    expect(desk.files.get("MEMORY.md")).toBe("# Memory\n\n- The user said: my birthday is on 3 May.\n");
    expect(await desk.ask("What did I tell you about my birthday?")).toContain("my birthday is on 3 May");
    expect(await desk.ask("When is my birthday?")).toContain("3 May");
    expect(await desk.ask("What did I tell you about my car?")).toBe("I have nothing in memory about “my car”.");
  });

  test("add to a memory file and lose nothing of it, even where its last line occurs twice", async () => {
    const desk = new Desk();
    const before = "# Memory\n\n- likes tea\n\n## Old\n\n- likes tea\n";
    desk.files.set("MEMORY.md", before);
    await desk.ask("Please remember that I moved to Oslo");
    await desk.ask("Don't forget: the cat is called Tiger");
    expect(desk.calls).toEqual(["read", "edit", "read", "edit"]);
    expect(desk.files.get("MEMORY.md")).toBe(
      `${before.trimEnd()}\n- The user said: I moved to Oslo\n- The user said: the cat is called Tiger\n`,
    );
  });

  test("begin an empty memory file anew", async () => {
    const desk = new Desk();
    desk.files.set("MEMORY.md", "");
    await desk.ask("Remember that I like tea");
    expect(desk.files.get("MEMORY.md")).toBe("# Memory\n\n- The user said: I like tea\n");
  });

  test("do not note the same thing twice", async () => {
    const desk = new Desk();
    await desk.ask("Remember that I like tea");
    expect(await desk.ask("Remember that I like tea")).toBe("I have that already: I like tea");
    expect(desk.files.get("MEMORY.md")!.match(/tea/g)).toHaveLength(1);
  });

  test("never write over a memory file that they could not read", async () => {
    const messages = [userSays("Remember that I like tea")];
    const tools = ALL_TOOLS.map((name) => ({ name, description: "", parameters: {} }));
    const first = await replyOf(offlineModel(), asking({ messages, tools }));
    const [call] = first.parts.flatMap((part) => (part.type === "tool-call" ? [part] : []));
    const result = toolSaid(call!.callId, "read", "unavailable: the store does not answer", true);
    const second = await replyOf(
      offlineModel(),
      asking({ messages: [...messages, modelSaid(first, "offline/rules"), result], tools }),
    );
    expect(second).toMatchObject({
      stop: "stop",
      parts: [{ type: "text", text: expect.stringContaining("the store does not answer") }],
    });
  });

  test("remember and recall in Chinese", async () => {
    const desk = new Desk();
    expect(await desk.ask("记住我的生日是5月3日")).toBe("已记入 MEMORY.md：我的生日是5月3日");
    expect(await desk.ask("请记住：我的猫叫小虎")).toBe("已记入 MEMORY.md：我的猫叫小虎");
    expect(await desk.ask("你还记得我的生日吗？")).toBe("我记得这些：\n- 我的生日是5月3日");
    expect(await desk.ask("我跟你说过猫的什么？")).toContain("小虎");
  });

  test("search memory where that is offered, and read the file where the search finds nothing", async () => {
    const desk = new Desk();
    desk.tools = [...ALL_TOOLS, "memory_search"];
    desk.files.set("MEMORY.md", "- The user said: my flight is at 7\n");
    desk.search = '{"results":[{"path":"memory/2026-01-02.md","text":"flight LH 12"}]}';
    expect(await desk.ask("What did I say about my flight?")).toContain("LH 12");
    desk.search = '{"results": []}';
    expect(await desk.ask("What did I say about my flight?")).toContain("my flight is at 7");
    expect(desk.calls).toEqual(["memory_search", "memory_search", "read"]);
  });

  test("answer from the passages that a search shows, with the lines that are about it and where they stand", async () => {
    const desk = new Desk();
    desk.tools = [...ALL_TOOLS, "memory_search", "memory_get"];
    const passages = [
      hit("memory/2026-01-31.md", 3, "# Saturday\n- Bought paint\n- The user said: the dentist is on Tuesday"),
      hit("MEMORY.md", 7, "- 用户说：牙医姓王，在里斯本\n- likes tea"),
    ];
    const search = { mode: "keywords", results: passages, index: { files: 2, chunks: 2, pending: 1 } } as const;
    const fence = { newFenceId: () => "0123456789abcdef" };
    desk.search = hitsText("the dentist", search, { cites: true, ...fence });
    expect(await desk.ask("When did I see the dentist?")).toBe(
      "Here is what I have:\n- the dentist is on Tuesday (Source: memory/2026-01-31.md#L3-L5)",
    );
    expect(await desk.ask("你还记得牙医吗？")).toBe("我记得这些：\n- 牙医姓王，在里斯本（来源：MEMORY.md#L7-L8）");
    // Found by its meaning: it shares no word with the question.
    expect(await desk.ask("What do you know about teeth?")).toMatch(/^Here is what I have:\n- Bought paint \(Source/);
    desk.search = hitsText("x", search, { cites: false, ...fence });
    expect(await desk.ask("Do you remember the dentist?")).toBe("Here is what I have:\n- the dentist is on Tuesday");
    const outside = [hit("sessions/main.md", 2, "user: the dentist is called Wang", "sessions")];
    desk.search = hitsText("x", { ...search, results: outside }, { cites: true, ...fence });
    expect(await desk.ask("Do you remember the dentist?")).toBe(
      "Here is what I have:\n- user: the dentist is called Wang (Source: sessions/main.md#L2)",
    );
    expect(new Set(desk.calls)).toEqual(new Set(["memory_search"]));
  });

  test("write, read and list files", async () => {
    const desk = new Desk();
    expect(await desk.ask("Create a file called todo.md with: buy milk")).toBe("Wrote todo.md.");
    expect(await desk.ask('Save "hello there" to notes/greeting.txt')).toBe("Wrote notes/greeting.txt.");
    expect(desk.files).toEqual(
      new Map([
        ["todo.md", "buy milk"],
        ["notes/greeting.txt", "hello there"],
      ]),
    );
    expect(await desk.ask("Read todo.md")).toBe("todo.md:\n\nbuy milk");
    expect(await desk.ask("what's in notes/greeting.txt?")).toContain("hello there");
    expect(await desk.ask("list files")).toContain("todo.md");
    expect(await desk.ask("list files in notes")).toBe("Files in notes:\n\nnotes/greeting.txt");
    expect(await desk.ask("新建文件 笔记.md，内容是今天下雨")).toBe("已写入 笔记.md。");
    expect(await desk.ask("读取 笔记.md")).toContain("今天下雨");
    expect(await desk.ask("有哪些文件？")).toContain("笔记.md");
  });

  test("say what went wrong with a tool, and do not try again", async () => {
    const desk = new Desk();
    expect(await desk.ask("Read nothing.md")).toBe("That did not work (read): There is no file `nothing.md`.");
    expect(desk.calls).toEqual(["read"]);
  });

  test("call no tool that is not offered", async () => {
    const desk = new Desk();
    desk.tools = [];
    expect(await desk.ask("Remember that I like tea")).toContain("`read`");
    expect(await desk.ask("list files")).toContain("`ls`");
    expect(desk.calls).toEqual([]);
  });

  test("keep what is asked now apart from what was done before", async () => {
    const desk = new Desk();
    await desk.ask("Read a.md");
    await desk.ask("Read a.md");
    expect(desk.calls).toEqual(["read", "read"]);
  });

  test("give every call an id of its own", async () => {
    const desk = new Desk();
    await desk.ask("Remember that I like tea");
    await desk.ask("list files");
    const ids = desk.messages.flatMap((message) => (message.role === "tool" ? [message.callId] : []));
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^call_/);
  });

  test("answer a system turn with the one word that it asks for", async () => {
    const desk = new Desk();
    expect(await desk.ask("Read HEARTBEAT.md if it exists. If nothing needs attention, reply HEARTBEAT_OK.")).toBe(
      "HEARTBEAT_OK",
    );
    expect(await desk.ask("Save what matters now. If there is nothing to do, answer NO_REPLY.")).toBe("NO_REPLY");
  });

  test("understand a message in a channel's envelope", async () => {
    const desk = new Desk();
    await desk.ask("[Telegram Ada 2026-11-21 10:00] remember that tea is good");
    expect(desk.files.get("MEMORY.md")).toContain("tea is good");
  });

  test("end whatever the results say", async () => {
    const messages: Message[] = [userSays("Remember that I like tea")];
    const tools = ALL_TOOLS.map((name) => ({ name, description: "", parameters: {} }));
    for (let step = 0; step < 6; step++) {
      const reply = await replyOf(offlineModel(), asking({ messages, tools }));
      messages.push(modelSaid(reply, "offline/rules"));
      const call = reply.parts.find((part) => part.type === "tool-call");
      if (call === undefined) return;
      messages.push(toolSaid("another call", "exec", "what?", true));
    }
    throw new Error("it never ended");
  });

  test("take a huge message without effort", async () => {
    const began = performance.now();
    await replyOf(offlineModel(), asking(`${"我说过".repeat(200_000)}?`));
    expect(performance.now() - began).toBeLessThan(500);
  });

  test("stream word by word, whatever the script", async () => {
    for (const text of ["Who are you?", "你是谁？"]) {
      const events = await eventsOf(offlineModel(), asking(text));
      expect(events.length).toBeGreaterThan(20);
      expect(joined(events, "text")).not.toBe("");
    }
  });
});
