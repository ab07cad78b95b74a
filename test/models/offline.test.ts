import { describe, expect, test } from "vitest";
import type { Hit, MemorySource } from "../../src/memory/agent-memory.ts";
import type { Message } from "../../src/models/message.ts";
import { offlineModel } from "../../src/models/offline.ts";
import { type HitsFormat, hitsOutput } from "../../src/tools/memory-hits.ts";
import { modelContract } from "../contracts/model.ts";
import { asking, eventsOf, joined, modelSaid, partsText, replyOf, toolSaid, userSays } from "../contracts/model-lab.ts";

modelContract("offline", offlineModel);

const ALL_TOOLS = ["read", "write", "edit", "ls"];

/** A workspace with its tools, and a conversation. */
class OfflineLab {
  readonly files = new Map<string, string>();
  readonly calls: string[] = [];
  readonly messages: Message[] = [];
  tools = ALL_TOOLS;
  search = "";

  /** Sends a message and runs the model until it answers. */
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

describe("the offline model", () => {
  test("says what it is and how to set up a model, in the user's language", async () => {
    const lab = new OfflineLab();
    for (const text of ["Who are you?", "What is the capital of France?", "How do I set up a model?"]) {
      expect(await lab.ask(text)).toMatch(/OPENAI_API_KEY[\s\S]*ANTHROPIC_API_KEY[\s\S]*OPENAI_BASE_URL/);
    }
    expect(await lab.ask("What is the capital of France?")).toContain("no language model is configured");
    expect(await lab.ask("法国的首都是哪里？")).toContain("还没有配置语言模型");
    expect(await lab.ask("你好")).toMatch(/^你好！/);
    expect(await lab.ask("Hello!")).toMatch(/^Hello!/);
    expect(lab.calls).toEqual([]);
  });

  test("remembers a fact in a new memory file, and recalls it", async () => {
    const lab = new OfflineLab();
    expect(await lab.ask("Remember that my birthday is on 3 May.")).toBe(
      "Noted in MEMORY.md: my birthday is on 3 May.",
    );
    expect(lab.calls).toEqual(["read", "write"]);
    expect(lab.files.get("MEMORY.md")).toBe("# Memory\n\n- The user said: my birthday is on 3 May.\n");
    expect(await lab.ask("What did I tell you about my birthday?")).toContain("my birthday is on 3 May");
    expect(await lab.ask("When is my birthday?")).toContain("3 May");
    expect(await lab.ask("What did I tell you about my car?")).toBe("I have nothing in memory about “my car”.");
  });

  test("appends to a memory file without loss, even if its last line occurs twice", async () => {
    const lab = new OfflineLab();
    const before = "# Memory\n\n- likes tea\n\n## Old\n\n- likes tea\n";
    lab.files.set("MEMORY.md", before);
    await lab.ask("Please remember that I moved to Oslo");
    await lab.ask("Don't forget: the cat is called Tiger");
    expect(lab.calls).toEqual(["read", "edit", "read", "edit"]);
    expect(lab.files.get("MEMORY.md")).toBe(
      `${before.trimEnd()}\n- The user said: I moved to Oslo\n- The user said: the cat is called Tiger\n`,
    );
  });

  test("starts an empty memory file", async () => {
    const lab = new OfflineLab();
    lab.files.set("MEMORY.md", "");
    await lab.ask("Remember that I like tea");
    expect(lab.files.get("MEMORY.md")).toBe("# Memory\n\n- The user said: I like tea\n");
  });

  test("does not note the same thing twice", async () => {
    const lab = new OfflineLab();
    await lab.ask("Remember that I like tea");
    expect(await lab.ask("Remember that I like tea")).toBe("I have that already: I like tea");
    expect(lab.files.get("MEMORY.md")!.match(/tea/g)).toHaveLength(1);
  });

  test("never overwrites a memory file that it could not read", async () => {
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

  test("remembers and recalls in Chinese", async () => {
    const lab = new OfflineLab();
    expect(await lab.ask("记住我的生日是5月3日")).toBe("已记入 MEMORY.md：我的生日是5月3日");
    expect(await lab.ask("请记住：我的猫叫小虎")).toBe("已记入 MEMORY.md：我的猫叫小虎");
    expect(await lab.ask("你还记得我的生日吗？")).toBe("我记得这些：\n- 我的生日是5月3日");
    expect(await lab.ask("我跟你说过猫的什么？")).toContain("小虎");
  });

  test("searches memory if it has the tool, and reads the file if the search finds nothing", async () => {
    const lab = new OfflineLab();
    lab.tools = [...ALL_TOOLS, "memory_search"];
    lab.files.set("MEMORY.md", "- The user said: my flight is at 7\n");
    lab.search = '{"results":[{"path":"memory/2026-01-02.md","text":"flight LH 12"}]}';
    expect(await lab.ask("What did I say about my flight?")).toContain("LH 12");
    lab.search = '{"results": []}';
    expect(await lab.ask("What did I say about my flight?")).toContain("my flight is at 7");
    expect(lab.calls).toEqual(["memory_search", "memory_search", "read"]);
  });

  test("answers from a search with the lines about the topic and their sources", async () => {
    const lab = new OfflineLab();
    lab.tools = [...ALL_TOOLS, "memory_search", "memory_get"];
    const passages = [
      hit("memory/2026-01-31.md", 3, "# Saturday\n- Bought paint\n- The user said: the dentist is on Tuesday"),
      hit("MEMORY.md", 7, "- 用户说：牙医姓王，在里斯本\n- likes tea"),
    ];
    const search = { mode: "keywords", results: passages, index: { files: 2, chunks: 2, pending: 1 } } as const;
    const outside = { newFenceId: () => "0123456789abcdef", suspect: () => undefined, onInjection: "log" as const };
    const fence: Omit<HitsFormat, "cites"> = { outside, labelledLines: async () => new Map() };
    lab.search = (await hitsOutput("the dentist", search, { cites: true, ...fence })).text;
    expect(await lab.ask("When did I see the dentist?")).toBe(
      "Here is what I have:\n- the dentist is on Tuesday (Source: memory/2026-01-31.md#L3-L5)",
    );
    expect(await lab.ask("你还记得牙医吗？")).toBe("我记得这些：\n- 牙医姓王，在里斯本（来源：MEMORY.md#L7-L8）");
    // Found by meaning: it shares no word with the question.
    expect(await lab.ask("What do you know about teeth?")).toMatch(/^Here is what I have:\n- Bought paint \(Source/);
    lab.search = (await hitsOutput("x", search, { cites: false, ...fence })).text;
    expect(await lab.ask("Do you remember the dentist?")).toBe("Here is what I have:\n- the dentist is on Tuesday");
    const strange = [hit("sessions/main.md", 2, "user: the dentist is called Wang", "sessions")];
    lab.search = (await hitsOutput("x", { ...search, results: strange }, { cites: true, ...fence })).text;
    expect(await lab.ask("Do you remember the dentist?")).toBe(
      "Here is what I have:\n- user: the dentist is called Wang (Source: sessions/main.md#L2)",
    );
    expect(new Set(lab.calls)).toEqual(new Set(["memory_search"]));
  });

  test("writes, reads and lists files", async () => {
    const lab = new OfflineLab();
    expect(await lab.ask("Create a file called todo.md with: buy milk")).toBe("Wrote todo.md.");
    expect(await lab.ask('Save "hello there" to notes/greeting.txt')).toBe("Wrote notes/greeting.txt.");
    expect(lab.files).toEqual(
      new Map([
        ["todo.md", "buy milk"],
        ["notes/greeting.txt", "hello there"],
      ]),
    );
    expect(await lab.ask("Read todo.md")).toBe("todo.md:\n\nbuy milk");
    expect(await lab.ask("what's in notes/greeting.txt?")).toContain("hello there");
    expect(await lab.ask("list files")).toContain("todo.md");
    expect(await lab.ask("list files in notes")).toBe("Files in notes:\n\nnotes/greeting.txt");
    expect(await lab.ask("新建文件 笔记.md，内容是今天下雨")).toBe("已写入 笔记.md。");
    expect(await lab.ask("读取 笔记.md")).toContain("今天下雨");
    expect(await lab.ask("有哪些文件？")).toContain("笔记.md");
  });

  test("reports the error of a tool, and does not try again", async () => {
    const lab = new OfflineLab();
    expect(await lab.ask("Read nothing.md")).toBe("That did not work (read): There is no file `nothing.md`.");
    expect(lab.calls).toEqual(["read"]);
  });

  test("calls only offered tools", async () => {
    const lab = new OfflineLab();
    lab.tools = [];
    expect(await lab.ask("Remember that I like tea")).toContain("`read`");
    expect(await lab.ask("list files")).toContain("`ls`");
    expect(lab.calls).toEqual([]);
  });

  test("separates the current request from earlier calls", async () => {
    const lab = new OfflineLab();
    await lab.ask("Read a.md");
    await lab.ask("Read a.md");
    expect(lab.calls).toEqual(["read", "read"]);
  });

  test("gives every call a unique id", async () => {
    const lab = new OfflineLab();
    await lab.ask("Remember that I like tea");
    await lab.ask("list files");
    const ids = lab.messages.flatMap((message) => (message.role === "tool" ? [message.callId] : []));
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^call_/);
  });

  test("answers a system turn with the word that it asks for", async () => {
    const lab = new OfflineLab();
    expect(await lab.ask("Read HEARTBEAT.md if it exists. If nothing needs attention, reply HEARTBEAT_OK.")).toBe(
      "HEARTBEAT_OK",
    );
    expect(await lab.ask("Save what matters now. If there is nothing to do, answer NO_REPLY.")).toBe("NO_REPLY");
  });

  test("understands a message in a channel's envelope", async () => {
    const lab = new OfflineLab();
    await lab.ask("[Telegram Ada 2026-11-21 10:00] remember that tea is good");
    expect(lab.files.get("MEMORY.md")).toContain("tea is good");
  });

  test("ends whatever the results are", async () => {
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

  test("handles a huge message quickly", async () => {
    const began = performance.now();
    await replyOf(offlineModel(), asking(`${"我说过".repeat(200_000)}?`));
    expect(performance.now() - began).toBeLessThan(500);
  });

  test("streams word by word in any script", async () => {
    for (const text of ["Who are you?", "你是谁？"]) {
      const events = await eventsOf(offlineModel(), asking(text));
      expect(events.length).toBeGreaterThan(20);
      expect(joined(events, "text")).not.toBe("");
    }
  });
});
