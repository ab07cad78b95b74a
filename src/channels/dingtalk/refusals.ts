import { z } from "zod";
import type { DingtalkContext } from "./account.ts";
import type { DingtalkAnswer } from "./api.ts";

type Refused = Extract<DingtalkAnswer, { kind: "refused" }>;

const denied = z.object({ accessdenieddetail: z.object({ requiredScopes: z.array(z.string()) }) });

/** What a refusal means to a person, and what to do; undefined for one that says it best itself. */
export function explainRefusal(refused: Refused, context: DingtalkContext): string | undefined {
  const words = typeof refused.code === "number" ? WORDS[refused.code] : byWord(refused, context);
  return words === undefined ? undefined : `${words} DingTalk says: ${refused.description}`;
}

function byWord({ code = "", json }: Refused, { account }: DingtalkContext): string | undefined {
  const word = String(code);
  if (/AccessTokenPermissionDenied/i.test(word)) {
    const scopes = denied.safeParse(json).data?.accessdenieddetail.requiredScopes.join(", ") ?? "that DingTalk names";
    return `The app lacks the permission ${scopes}: add it at the developer console (权限管理).`;
  }
  if (/invalidClient|InvalidAuthentication/i.test(word)) {
    return `DingTalk does not know the app: check ${account.clientId.id} and ${account.clientSecret.id}.`;
  }
  if (/robotCode|resource\.not\.found|robot\.?not/i.test(word)) {
    return `DingTalk does not know the robot: set ${account.robotCode.id} to the code on the robot's page.`;
  }
  if (/staffId|userId/i.test(word)) return "DingTalk does not know this person: check the id.";
  if (/conversation/i.test(word)) return "The robot is not in this group: add it in the group's settings.";
  return undefined;
}

/** Whether the address that came with a message is no longer valid: nothing was sent. */
export function isAddressGone(answer: DingtalkAnswer): boolean {
  if (answer.kind !== "refused") return false;
  return answer.status === 404 || [300001, 300005, 400101].includes(Number(answer.code));
}

const WORDS: Readonly<Record<number, string>> = {
  40035: "DingTalk finds the message incomplete.",
  310000: "The robot's security settings hold the message back: look at its keywords and addresses.",
  400013: "The group is dissolved.",
  400102: "The robot is switched off: switch it on at the developer console.",
  430101: "DingTalk holds a link to be unsafe: leave it out.",
  430102: "DingTalk holds the text to be improper: say it in other words.",
  430103: "DingTalk holds a picture to be improper.",
  430104: "DingTalk holds the content to be improper.",
  460101: "The message is too long for DingTalk.",
};
