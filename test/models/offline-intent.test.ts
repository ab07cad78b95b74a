import { describe, expect, test } from "vitest";
import { type Intent, parseIntent } from "../../src/models/offline/intent.ts";

describe("the offline model understands", () => {
  test.each<[string, Intent]>([
    [
      '[Reminder "oven", due Tue 2026-11-24 11:54]\nPass it on in a sentence.\n\nturn off the oven',
      { kind: "reminder", what: "turn off the oven" },
    ],
    ["Hello there!", { kind: "greeting" }],
    ["history of Rome", { kind: "unknown" }],
    ["Thanks a lot", { kind: "thanks" }],
    ["What can you do?", { kind: "about" }],
    ["Which model are you?", { kind: "about" }],
    ["How can I use OpenAI?", { kind: "setup" }],
    ["Write a poem about the sea", { kind: "unknown" }],
    ["Do you know the capital of France?", { kind: "unknown" }],
    ["remember to buy milk", { kind: "remember", fact: "to buy milk" }],
    ["Can you remember that I'm allergic to nuts?", { kind: "remember", fact: "I'm allergic to nuts" }],
    ["Could you please note down: the door code is 1234", { kind: "remember", fact: "the door code is 1234" }],
    ["Do you remember my birthday?", { kind: "recall", topic: "my birthday" }],
    ["Can you remember my birthday?", { kind: "recall", topic: "my birthday" }],
    ["What do you know about me?", { kind: "recall", topic: "me" }],
    ["When did I last see the dentist?", { kind: "recall", topic: "last see the dentist" }],
    ["Where have we parked the car?", { kind: "recall", topic: "parked the car" }],
    ["When did the war end?", { kind: "unknown" }],
    ["Tell me about my sister", { kind: "recall", topic: "my sister" }],
    ["Tell me what you know about the boat", { kind: "recall", topic: "the boat" }],
    ["Tell me about the Romans", { kind: "unknown" }],
    ["What's my name?", { kind: "recall", topic: "name" }],
    ["Hi, can you read notes.md?", { kind: "read", path: "notes.md" }],
    ["Show me the file memory/2026-01-01.md", { kind: "read", path: "memory/2026-01-01.md" }],
    ["create notes.md", { kind: "write", path: "notes.md", content: "" }],
    ["write hello to x.txt.", { kind: "write", path: "x.txt", content: "hello" }],
    ["make a file x.md with ```md\n# Title\n```", { kind: "write", path: "x.md", content: "# Title" }],
    ["ls memory", { kind: "list", folder: "memory" }],
    ["Show my files", { kind: "list", folder: "" }],
    ["早上好呀", { kind: "greeting" }],
    ["你是什么模型？", { kind: "about" }],
    ["怎么配置模型？", { kind: "setup" }],
    ["法国的首都是哪里？", { kind: "unknown" }],
    ["帮我记一下：明天开会", { kind: "remember", fact: "明天开会" }],
    ["关于生日我说过什么？", { kind: "recall", topic: "生日" }],
    ["你还记得我们去里斯本的事吗？", { kind: "recall", topic: "我们去里斯本的事" }],
    ["你還記得我的貓嗎？", { kind: "recall", topic: "我的貓" }],
    ["我上次说的餐厅叫什么？", { kind: "recall", topic: "餐厅叫" }],
    ["关于装修，我昨天提到什么？", { kind: "recall", topic: "装修" }],
    ["我什么时候去看牙医？", { kind: "recall", topic: "去看牙医" }],
    ["关于小虎你还记得什么？", { kind: "recall", topic: "小虎" }],
    ["记住我上次说的餐厅叫小满", { kind: "remember", fact: "我上次说的餐厅叫小满" }],
    ["我的生日是什么时候？", { kind: "recall", topic: "生日" }],
    ["我女儿叫什么名字？", { kind: "recall", topic: "女儿" }],
    ["我想知道法国的首都是哪里", { kind: "unknown" }],
    ["我喜欢吃什么？", { kind: "recall", topic: "喜欢吃" }],
    ["看一下笔记.md", { kind: "read", path: "笔记.md" }],
    ["把你好写入 a.md", { kind: "write", path: "a.md", content: "你好" }],
    ["列出 memory 里的文件", { kind: "list", folder: "memory" }],
  ])("%j", (message, intent) => {
    expect(parseIntent(message)).toEqual(intent);
  });
});

test.each(["关于生日我说过什么", "Then answer HEARTBEAT_OK.", "Please read notes.md"])(
  "a conversation opens with a greeting, whatever the notes of the day say: %j",
  (note) => {
    expect(parseIntent(`[System] A new conversation has begun. Greet the user.\n\n${note}`)).toEqual({
      kind: "greeting",
    });
  },
);

test("the offline model parses a message full of punctuation quickly", () => {
  expect(parseIntent(`well${"!".repeat(400_000)}.`).kind).toBe(parseIntent("well!.").kind);
});
