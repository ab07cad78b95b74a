/** The texts of the rules in one language. */
export interface Words {
  greeting: string;
  thanks: string;
  about: string;
  setup: string;
  unknown: string;
  /** A fact as a line of MEMORY.md, for readers who do not know the conversation. */
  memoryLine(fact: string): string;
  noted(fact: string): string;
  known(fact: string): string;
  recalled(lines: string[]): string;
  /** A line of memory with its source. */
  cited(line: string, source: string): string;
  nothingOn(topic: string): string;
  willRemind(what: string, time: string): string;
  reminds(what: string): string;
  wrote(path: string): string;
  shows(path: string, content: string): string;
  files(folder: string, listing: string): string;
  failed(what: string, reason: string): string;
  noTool(tool: string): string;
}

/** The language of a message: Chinese if it has Chinese characters, else English. */
export function wordsFor(message: string): Words {
  return /\p{Script=Han}/u.test(message) ? CHINESE : ENGLISH;
}

const ENGLISH_SETUP = [
  "To get a language model, set one of these and start again (locally in `.dev.vars`, deployed as a secret of the Worker):",
  "- `OPENAI_API_KEY`",
  "- `ANTHROPIC_API_KEY`",
  "- `OPENAI_BASE_URL` and `ISOPOD_MODEL`, for Ollama, LM Studio, vLLM or any other OpenAI-compatible server",
].join("\n");

const ENGLISH_SKILLS =
  "remember and recall things (“remember that …”, “what did I tell you about …”), set reminders (“remind me in two minutes to …”), and read, write and list files";

const ENGLISH: Words = {
  greeting: `Hello! No language model is configured yet, so you are talking to Isopod's built-in rules. I can ${ENGLISH_SKILLS}. Ask me how to set up a model.`,
  thanks: "You're welcome!",
  about: `I am Isopod's built-in rules, not a language model: none is configured yet. I can ${ENGLISH_SKILLS}.\n\n${ENGLISH_SETUP}`,
  setup: ENGLISH_SETUP,
  unknown: `I can't answer that: no language model is configured, and I am only Isopod's built-in rules. I can ${ENGLISH_SKILLS}.\n\n${ENGLISH_SETUP}`,
  memoryLine: (fact) => `- The user said: ${fact}`,
  noted: (fact) => `Noted in MEMORY.md: ${fact}`,
  known: (fact) => `I have that already: ${fact}`,
  recalled: (lines) => `Here is what I have:\n${bullets(lines)}`,
  cited: (line, source) => `${line} (Source: ${source})`,
  nothingOn: (topic) => (topic === "" ? "I have nothing in memory yet." : `I have nothing in memory about “${topic}”.`),
  willRemind: (what, time) => `I will remind you on ${time}: ${what}`,
  reminds: (what) => `⏰ A reminder: ${what}`,
  wrote: (path) => `Wrote ${path}.`,
  shows: (path, content) => (content.trim() === "" ? `${path} is empty.` : `${path}:\n\n${content}`),
  files: (folder, listing) =>
    listing.trim() === "" ? "There are no files." : `Files${folder && ` in ${folder}`}:\n\n${listing}`,
  failed: (what, reason) => `That did not work (${what}): ${reason}`,
  noTool: (tool) => `I would need the tool \`${tool}\` for that, and it is not available here.`,
};

const CHINESE_SETUP = [
  "要使用语言模型，请设置下面其中一项，然后重新启动（本地写在 `.dev.vars` 里，部署后设为 Worker 的 secret）：",
  "- `OPENAI_API_KEY`",
  "- `ANTHROPIC_API_KEY`",
  "- `OPENAI_BASE_URL` 和 `ISOPOD_MODEL`，用于 Ollama、LM Studio、vLLM 或其他兼容 OpenAI 的服务",
].join("\n");

const CHINESE_SKILLS =
  "记住和回忆事情（“记住……”“我跟你说过……什么”），设置提醒（“两分钟后提醒我……”），以及读取、写入和列出文件";

const CHINESE: Words = {
  greeting: `你好！还没有配置语言模型，现在回答你的是 Isopod 内置的规则。我可以${CHINESE_SKILLS}。想配置模型的话，问我“怎么配置模型”。`,
  thanks: "不客气！",
  about: `我是 Isopod 内置的规则，不是语言模型：目前还没有配置模型。我可以${CHINESE_SKILLS}。\n\n${CHINESE_SETUP}`,
  setup: CHINESE_SETUP,
  unknown: `这个我回答不了：还没有配置语言模型，我只是 Isopod 内置的规则。我可以${CHINESE_SKILLS}。\n\n${CHINESE_SETUP}`,
  memoryLine: (fact) => `- 用户说：${fact}`,
  noted: (fact) => `已记入 MEMORY.md：${fact}`,
  known: (fact) => `这个我已经记着了：${fact}`,
  recalled: (lines) => `我记得这些：\n${bullets(lines)}`,
  cited: (line, source) => `${line}（来源：${source}）`,
  nothingOn: (topic) => (topic === "" ? "我还没有记下任何东西。" : `我没有记下关于“${topic}”的内容。`),
  willRemind: (what, time) => `好的，我会在 ${time} 提醒你：${what}`,
  reminds: (what) => `⏰ 提醒：${what}`,
  wrote: (path) => `已写入 ${path}。`,
  shows: (path, content) => (content.trim() === "" ? `${path} 是空的。` : `${path}：\n\n${content}`),
  files: (folder, listing) =>
    listing.trim() === "" ? "没有文件。" : `${folder && `${folder} 里的`}文件：\n\n${listing}`,
  failed: (what, reason) => `没有成功（${what}）：${reason}`,
  noTool: (tool) => `这需要工具 \`${tool}\`，但这里没有。`,
};

function bullets(lines: string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}
