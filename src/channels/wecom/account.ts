import { z } from "zod";
import { address } from "../../config/secret-ref.ts";
import { deliveryFields, directFields, secretField } from "../account-fields.ts";
import type { ChannelContext } from "../channel.ts";

/** The configuration of an application of WeCom. */
export const wecomAccount = z.strictObject({
  corpId: secretField("WECOM_CORP_ID", "The company's id, `ww…`"),
  agentId: secretField("WECOM_AGENT_ID", "The application's AgentId, a number"),
  secret: secretField("WECOM_SECRET", "The application's Secret"),
  token: secretField("WECOM_TOKEN", "The Token of the application's message receiver; nothing enters without it"),
  encodingAesKey: secretField("WECOM_ENCODING_AES_KEY", "The EncodingAESKey of the message receiver"),
  apiBase: address
    .default("https://qyapi.weixin.qq.com")
    .describe("Address of WeCom's API, or of a proxy before it whose own address WeCom trusts."),
  messageType: z
    .enum(["markdown", "text"])
    .default("markdown")
    .describe("Whether replies are formatted. WeChat's plugin for WeCom shows plain text alone."),
  ...directFields,
  ...deliveryFields,
});

/** An application's parsed configuration. */
export type WecomAccount = z.output<typeof wecomAccount>;

/** The channel context of one application. */
export type WecomContext = ChannelContext<WecomAccount>;

/** What an application proves itself with. */
export interface WecomCredentials {
  corpId: string;
  secret: string;
  agentId: number;
}

/** The credentials of an account; undefined if one is missing or no AgentId. */
export function wecomCredentials({ account, secret: read }: WecomContext): WecomCredentials | undefined {
  const [corpId, secret, agentId] = [read(account.corpId), read(account.secret), read(account.agentId)];
  if (corpId === undefined || secret === undefined || agentId === undefined || !/^\d{1,15}$/.test(agentId)) {
    return undefined;
  }
  return { corpId, secret, agentId: Number(agentId) };
}

/** What an account without credentials is told. */
export function credentialsMissing({ account, secret }: WecomContext): string {
  const missing = [account.corpId, account.secret, account.agentId].filter((ref) => secret(ref) === undefined);
  if (missing.length === 0) return `${account.agentId.id} is not an AgentId: it is a number, such as 1000002.`;
  return `Set ${missing.map(({ id }) => id).join(" and ")}: WeCom's console shows them.`;
}
