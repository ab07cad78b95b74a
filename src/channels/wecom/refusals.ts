import type { WecomContext } from "./account.ts";
import type { WecomAnswer } from "./api.ts";

/** What a refusal means to a person, and what to do; undefined for one that says it best itself. */
export function explainRefusal(
  { code, description }: Extract<WecomAnswer, { kind: "refused" }>,
  { account }: WecomContext,
): string | undefined {
  if (code === undefined) return undefined;
  if (code === 60020) return untrustedAddress(description);
  const words = [40001, 40013, 40014, 42001, 41002].includes(code)
    ? `WeCom does not know the application: check ${account.corpId.id} and ${account.secret.id}.`
    : [40056, 301002, 48002].includes(code)
      ? `The application may not do this: check that ${account.agentId.id} and ${account.secret.id} are of the same application.`
      : WORDS[code];
  return words === undefined ? undefined : `${words} WeCom says: ${description}`;
}

function untrustedAddress(description: string): string {
  const from = /from ip: ?([\d.a-f:]+)/i.exec(description)?.[1];
  return `WeCom takes requests from trusted addresses alone, and this one came from ${from ?? "another"}. Add it at the application's page (企业可信IP) where the address is fixed; a Worker on Cloudflare has no fixed one: let a proxy with a fixed address pass requests on, and set its address as \`apiBase\`.`;
}

/** @see https://developer.work.weixin.qq.com/document/path/90313 */
const WORDS: Readonly<Record<number, string>> = {
  40003: "WeCom does not know this member: check the id.",
  40006: "The file is too large for WeCom, or has fewer than six bytes.",
  40009: "The picture is too large for WeCom.",
  40068: "The label does not exist.",
  45002: "The message is too long for WeCom.",
  46004: "WeCom does not know this member: check the id.",
  60011: "The application may not see this member: widen its visible range at WeCom's console.",
  60111: "WeCom does not know this member: check the id.",
  81013: "The member does not exist, or is outside of the application's visible range: widen it at WeCom's console.",
  82001: "The message has no receiver.",
};
