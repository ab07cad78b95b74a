import { frameSignature, sealFrame } from "../../../src/channels/framed-cipher.ts";
import { wecom } from "../../../src/channels/wecom/wecom.ts";
import type { ChannelUnderEval, EvalAccount } from "./channel-under-eval.ts";

const AES_KEY = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG";
const TOKEN = "evaluation";

function account(config: Record<string, unknown>): EvalAccount {
  const { corpId = "ww1", agentId = "1", token = TOKEN, encodingAESKey = AES_KEY } = config;
  return {
    account: {},
    secrets: {
      WECOM_CORP_ID: String(corpId),
      WECOM_AGENT_ID: String(agentId),
      WECOM_SECRET: "secret",
      WECOM_TOKEN: String(token),
      WECOM_ENCODING_AES_KEY: String(encodingAESKey),
    },
  };
}

export const wecomUnderEval: ChannelUnderEval = {
  channel: wecom,
  schemes: ["wecom"],
  platform: "wecom",
  forVector: ({ config = {} }) => account(config),
  forPayload: ({ account: { corpId, agentId } }) => account({ corpId, agentId }),
  async send({ raw_text: message = "", account: { corpId } }, url) {
    const encrypted = (await sealFrame(AES_KEY, { message, receiver: String(corpId) })) ?? "";
    const timestamp = "1790000000";
    const signature = await frameSignature([TOKEN, timestamp, "1", encrypted]);
    const query = new URLSearchParams({ msg_signature: signature, timestamp, nonce: "1" });
    const body = `<xml><Encrypt><![CDATA[${encrypted}]]></Encrypt></xml>`;
    return new Request(`${url}?${query}`, { method: "POST", body });
  },
  forSending: () => account({}),
  answer: ({ url }) =>
    url.includes("/gettoken") ? Response.json({ errcode: 0, access_token: "t", expires_in: 7200 }) : undefined,
};
