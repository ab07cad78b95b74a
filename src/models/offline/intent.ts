/** The intents of messages. */
export type Intent =
  | { kind: "greeting" | "thanks" | "about" | "setup" | "unknown" }
  | { kind: "token"; token: string }
  | { kind: "remember"; fact: string }
  | { kind: "recall"; topic: string }
  | { kind: "read"; path: string }
  | { kind: "write"; path: string; content: string }
  | { kind: "list"; folder: string }
  /** A reminder after a span such as `2m`. */
  | { kind: "remind"; span: string; what: string }
  /** A reminder that is due. */
  | { kind: "reminder"; what: string };

type Groups = Partial<Record<string, string>>;

/** A pattern, and the intent that its named groups stand for. */
interface Rule {
  says: RegExp;
  means(groups: Groups): Intent;
}

/** A file name with an extension, optionally in quotes. */
const PATH = "[`\"'“「]?(?<path>[\\p{L}\\p{N}_./-]*[\\p{L}\\p{N}_-]\\.[A-Za-z0-9]{1,8})[`\"'”」]?";

const PLEASE = "^(?:please |can you |could you |and )*";
const QING = "^(?:请|麻烦|你|帮我)*";
/** Not at the beginning of a message that asks to remember something. */
const NO_ORDER = "^(?!(?:请|麻烦|你|帮我)*(?:记住|记一下|记下|记得|记录|别忘))";
const A_FILE = "(?: me)?(?: an?| the)?(?: new)?(?: empty)?(?: file)?(?: called| named)?";

/** Numbers as people write them out. */
const COUNTS: Readonly<Record<string, number>> = {
  ...{ a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10 },
  ...{ fifteen: 15, twenty: 20, thirty: 30, forty: 40, fifty: 50, sixty: 60 },
};
const CHINESE_COUNTS: Readonly<Record<string, number>> = {
  ...{ 一: 1, 两: 2, 二: 2, 三: 3, 四: 4, 五: 5, 六: 6, 七: 7, 八: 8, 九: 9, 十: 10, 半: 0.5 },
};

/** A longer message matches no rule. */
const MAX_CHARS = 8_000;

/** In order: questions about memory before requests to remember, files with content before files. */
const RULES: readonly Rule[] = [
  // The greeting of a new session contains notes of past days, which are no requests.
  rule("^A new conversation has begun\\.", just("greeting")),

  rule('^\\[Reminder ".*?", due [^\\]]*\\].*?\\n\\n(?<what>.+)$', ({ what = "" }) => ({
    kind: "reminder",
    what: what.trim(),
  })),
  rule(
    `${PLEASE}remind me in (?<count>\\d+|${Object.keys(COUNTS).join("|")}) (?<unit>seconds?|minutes?|mins?|hours?|days?)(?: to| that| about| of)? (?<what>.+)$`,
    remind,
  ),
  rule(
    `${PLEASE}remind me (?:to |that |about |of )?(?<what>.+?) in (?<count>\\d+|${Object.keys(COUNTS).join("|")}) (?<unit>seconds?|minutes?|mins?|hours?|days?)\\.?$`,
    remind,
  ),
  rule(
    `${QING}(?<count>\\d+|[${Object.keys(CHINESE_COUNTS).join("")}]+)个?(?<unit>秒钟?|分钟?|小时|钟头|天)(?:之|以)?后(?:请|再)?(?:提醒|叫)我(?<what>.+)$`,
    remind,
  ),

  // System turns that name the one word to answer with.
  rule("\\b(?<token>HEARTBEAT_OK|NO_REPLY)\\b", ({ token = "" }) => ({ kind: "token", token })),

  rule(
    "^(?:what|which|when|where) (?:did|have|has) (?:i|we) .*?\\b(?:tell|told|say|said|mention(?:ed)?)\\b(?: (?:to )?you)?(?: .*?\\babout)? ?(?<topic>.*)$",
    recall,
  ),
  rule("^what (?:do|did|can) you (?:know|remember|recall)\\b(?: about)? ?(?<topic>.*)$", recall),
  rule("^(?:what|which|when|where|who) (?:did|have|had|was|were) (?:i|we)\\b ?(?<topic>.+)$", recall),
  rule("^tell me (?:what you (?:know|remember)(?: about)?|about(?= (?:my|our)\\b)) ?(?<topic>.+)$", recall),
  rule("^(?:do|did) you (?:still )?(?:remember|recall|know(?=.*\\b(?:i|my|me)\\b))(?<topic>.*)$", recall),
  rule("^(?:can|could) you (?:still )?(?:remember|recall) (?!(?:that|this|to)\\b)(?<topic>.+)$", recall),
  rule("^(?:what|who|where|when)(?:'s|’s| is| are| was| were) my (?<topic>.+)$", recall),
  rule("^(?:please )?recall (?<topic>.+)$", recall),
  rule("^(?:你|妳)?(?:还|還)?(?:记得|記得|知道(?=我))(?<topic>.*?)(?:吗|嗎|么|嘛|不)$", recall),
  rule(
    "^(?:关于|關於)?(?<topic>.*?)[，,]?我(?:之前|以前|曾经)?(?:跟你|对你|和你|给你)?(?:说过|说了|告诉过你|告诉了你|讲过|提过)(?<more>.*?)(?:什么|啥|哪些|没有|吗|么)*$",
    ({ topic = "", more = "" }) => recall({ topic: `${topic} ${more}` }),
  ),
  rule(
    `${NO_ORDER}(?:关于|關於)?(?<topic>.*?)[，,]?我(?:之前|以前|曾经|上次|上回|前几天|昨天|前天|那天)(?:跟你|对你|和你|给你)?(?:说|讲|提|聊)(?:过|到|起|的|了)?(?<more>.*?)(?:什么|啥|哪些|没有|吗|么|呢)*$`,
    ({ topic = "", more = "" }) => recall({ topic: `${topic} ${more}` }),
  ),
  rule("^我(?:是)?(?:什么时候|何时|哪天|几号|在哪里?|在哪儿|跟谁|和谁)(?<topic>.+)$", recall),
  rule("^(?:关于|關於)(?<topic>.+?)[，,]?你(?:还|還)?(?:知道|记得|記得)(?:些|点)?(?:什么|啥|多少)?(?:吗|么)?$", recall),
  rule("^我(?:的|(?![想要该应能可需怎]))(?<topic>.+?)(?:是|叫|在)(?:什么|谁|哪|多少|几|啥).*$", recall),
  rule("^我最?(?<topic>(?:不?喜欢|讨厌|爱|对).+?)(?:什么|谁|哪|啥).*$", recall),

  rule(
    `${PLEASE}(?:remember|memori[sz]e|keep in mind|don['’]t forget|(?:make a )?note|write down)(?: this| that| down)*[:,]? +(?<fact>.+)$`,
    remember,
  ),
  rule(`${QING}(?:记住|记一下|记下来?|记得|记录一下|别忘了)[：:，, ]*(?<fact>.+)$`, remember),

  rule(
    `${PLEASE}(?:write|create|make|save|add)${A_FILE} ${PATH}(?:[:,]| with| containing| saying| that says)(?: the)?(?: contents?| text)?:?\\s+(?<content>.+)$`,
    write,
  ),
  rule(`${PLEASE}(?:write|save|put|store) (?<content>.+?) (?:to|in|into|as)${A_FILE} ${PATH}\\.?$`, write),
  rule(`${PLEASE}(?:create|make|add)${A_FILE} ${PATH}\\.?$`, write),
  rule(
    `${QING}(?:创建|新建|写入?|写一个|保存)(?:一个)?新?(?:文件)?(?:叫|名为)? *${PATH}[，,]? *(?:内容(?:是|为)?|写[上入]?|包含)[：: ]*(?<content>.+)$`,
    write,
  ),
  rule(`${QING}把 *(?<content>.+?) *(?:写入|写到|写进|保存到|保存为|存到|存入) *(?:文件)? *${PATH}(?:里|中)?$`, write),
  rule(`${QING}在 *${PATH} *(?:里|中)?(?:写入|写上|写下?)[：: ]*(?<content>.+)$`, write),
  rule(`${QING}(?:创建|新建)(?:一个)?(?:空的?)?(?:文件)?(?:叫|名为)? *${PATH}$`, write),

  rule(`\\b(?:read|show|open|cat|print|display)(?: me)?(?: the)?(?: contents? of)?(?: the)?(?: file)? ${PATH}`, read),
  rule(`^what(?:'s|’s| is| does) (?:in )?(?:the )?(?:file )?${PATH}(?: say| contain)?$`, read),
  rule(`(?:读取?|读一下|看看|看一下|打开|显示|查看)(?:一下)?(?:文件)? *${PATH}`, read),
  rule(`^${PATH} *(?:里|中)?面?(?:有|写了|是)?(?:什么|啥).*$`, read),

  rule(
    `${PLEASE}(?:list|show)(?: me)?(?: all)?(?: of)?(?: the| my| your)? ?(?:files?|folder|directory|workspace)?(?: (?:in|of|under))?(?: the)?(?: folder| workspace)? *["']?(?<folder>[\\w./-]*)["']?(?: folder)?$`,
    list,
  ),
  rule("^(?:what|which) files\\b.*$", list),
  rule("^ls *(?<folder>[\\w./-]*)$", list),
  rule(
    `${QING}(?:列出|显示|查看|看看)? *(?<folder>[\\w./-]*) *(?:里|中)?(?:的|所有|全部|有哪些|有什么|我的)*文件(?:列表|夹)?(?:有哪些|有什么)?$`,
    list,
  ),

  rule(
    "\\b(?:configure|set ?up|connect|use|add|choose|change|switch|get)\\b[^.?!]{0,40}\\b(?:models?|api keys?|openai|anthropic|ollama|lm studio|vllm|provider)\\b",
    just("setup"),
  ),
  rule("(?:配置|设置|接入|更?换|切换|选择|使用|添加)[^。？！]{0,12}(?:模型|密钥|api|key)", just("setup")),
  rule(
    "\\b(?:who|what) are you\\b|\\bwhat can you do\\b|^help\\b|\\bare you (?:an? )?(?:ai|llm|bot|robot|real|human|chatgpt|gpt|claude)|\\b(?:what|which) (?:language )?model\\b",
    just("about"),
  ),
  rule(
    "你是谁|你是什么|你(?:能|会|可以)(?:做|干)?(?:什么|啥)|帮助|什么模型|你是.{0,8}(?:模型|机器人|人工智能|ai)",
    just("about"),
  ),
  rule("^(?:thanks|thank you|thx|谢谢|多谢|感谢)", just("thanks")),
  rule(
    "^(?:hi|hello|hey|howdy|good (?:morning|afternoon|evening)|你好|您好|嗨|哈喽|早上好|早安|下午好|晚上好|在吗)(?![\\p{L}]{3}).{0,24}$",
    just("greeting"),
  ),
];

/** The intent of a message: the first matching rule decides. */
export function parseIntent(message: string): Intent {
  const text = unwrapped(message);
  if (text.length > MAX_CHARS) return { kind: "unknown" };
  for (const { says, means } of RULES) {
    const found = says.exec(text);
    if (found) return means(found.groups ?? {});
  }
  return { kind: "unknown" };
}

function rule(pattern: string, means: (groups: Groups) => Intent): Rule {
  return { says: new RegExp(pattern, "isu"), means };
}

function just(kind: "greeting" | "thanks" | "about" | "setup"): () => Intent {
  return () => ({ kind });
}

function remind({ count = "", unit = "", what = "" }: Groups): Intent {
  const word = count.toLowerCase();
  const number = COUNTS[word] ?? CHINESE_COUNTS[word] ?? Number(word);
  const letter = /^(?:s|秒)/i.test(unit)
    ? "s"
    : /^(?:m|分)/i.test(unit)
      ? "m"
      : /^(?:h|小时|钟头)/i.test(unit)
        ? "h"
        : "d";
  if (!(number > 0)) return { kind: "unknown" };
  return { kind: "remind", span: `${number}${letter}`, what: what.replace(/[.。！!]+$/, "").trim() };
}

function recall({ topic = "" }: Groups): Intent {
  return { kind: "recall", topic: topic.trim().replace(/^的|的$/g, "") };
}

function remember({ fact = "" }: Groups): Intent {
  return { kind: "remember", fact: fact.replace(/\s+/g, " ").trim() };
}

function read({ path = "" }: Groups): Intent {
  return { kind: "read", path };
}

function write({ path = "", content = "" }: Groups): Intent {
  return { kind: "write", path, content: unquoted(content) };
}

function list({ folder = "" }: Groups): Intent {
  return { kind: "list", folder: folder.replace(/^\.?\/+|(?<!\/)\/+$/g, "") };
}

/** The message without the channel's envelope in brackets before it and the final punctuation. */
function unwrapped(message: string): string {
  return message
    .trim()
    .replace(/^\[(?!Reminder ")[^\]\n]{1,120}\]\s*/, "")
    .replace(/(?<![?？!！。])[?？!！。]+$/, "")
    .trim();
}

function unquoted(content: string): string {
  const fenced = /^```\w*\n(.*?)\n?```$/s.exec(content) ?? /^(?:"(.*)"|'(.*)'|“(.*)”|「(.*)」|`(.*)`)$/s.exec(content);
  return fenced?.slice(1).find((inner) => inner !== undefined) ?? content;
}
