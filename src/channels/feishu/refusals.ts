import type { FeishuContext } from "./account.ts";
import type { FeishuAnswer } from "./open-api.ts";

type Refused = Extract<FeishuAnswer, { kind: "refused" }>;

/** What a refusal means to a person, and what to do; undefined for one that says it best itself. */
export function explainRefusal({ code, description }: Refused, { account }: FeishuContext): string | undefined {
  if (code === undefined) return undefined;
  const scopes = SCOPE_CODES.has(code) ? missingScopes(description) : undefined;
  const words = scopes ?? WORDS[code];
  if (words !== undefined) return `${words} Feishu says: ${description}`;
  if (CREDENTIAL_CODES.has(code)) {
    return `Feishu does not know the app: check ${account.appId.id} and ${account.appSecret.id}, and that \`domain\` is right (feishu or lark). ${description}`;
  }
  return undefined;
}

/** Whether the message that is answered is gone, so that the answer can only stand alone. */
export function isAnsweredGone(answer: FeishuAnswer): boolean {
  return answer.kind === "refused" && answer.code !== undefined && [230011, 230110].includes(answer.code);
}

/** Whether a card cannot be read or shown, such as one with too many tables. */
export function isUnreadableCard(answer: FeishuAnswer): boolean {
  return answer.kind === "refused" && answer.code === 230099;
}

const CREDENTIAL_CODES: ReadonlySet<number> = new Set([10003, 10014, 10015, 99991661, 99991663, 99991664, 99991671]);
const SCOPE_CODES: ReadonlySet<number> = new Set([99991672, 99991679, 230027]);

/** The permissions that Feishu lists in brackets. */
function missingScopes(description: string): string {
  const scopes = /\[([\w:., -]+)\]/.exec(description)?.[1];
  const which = scopes === undefined ? "a permission" : `one of the permissions ${scopes}`;
  return `The app lacks ${which}: add it at the developer console (Permissions & Scopes), then publish a version.`;
}

/** @see https://open.feishu.cn/document/server-docs/im-v1/message/create */
const WORDS: Readonly<Record<number, string>> = {
  230002: "The bot is not in this group: add it in the group's settings.",
  230006: "The app has no bot: turn the bot on at the developer console (Features), then publish a version.",
  230013:
    "The app is not available to this person: widen its availability at the developer console, then publish a version.",
  230018: "The group's settings forbid it: let its owner allow the bot to speak.",
  230019: "The topic does not exist any more.",
  230022: "Feishu holds the text to be sensitive: say it in other words.",
  230025: "The message is too long for Feishu.",
  230028: "The company's data protection holds the message back: ask its administrator.",
  230029: "This person has left the company.",
  230034: "Feishu does not know this person or chat: check the id.",
  230035: "The bot may not speak in this group: let its owner allow it.",
  230038: "People outside of the company cannot be written to by this app.",
  230053: "This person has switched off messages of the bot: they can write to it to switch them on.",
  231001: "Feishu has no such reaction.",
  234006: "The file is too large for Feishu.",
  234010: "Feishu takes no empty file.",
};
