import { SELF } from "cloudflare:test";
import { inject } from "vitest";
import { sealFrame } from "../../src/channels/framed-cipher.ts";
import { wecomMarkup } from "../../src/channels/markup/wecom.ts";
import { knownPlace } from "../channels/platform-lab.ts";
import { AES_KEY, contentOf, post, signedCall, textOf, xmlOf } from "../channels/wecom/test-application.ts";
import { channelFlow, OWNER } from "./channel-flow.ts";

const place = knownPlace("wecom", "flow", inject("platforms"));

async function callBack(fields: Record<string, string | number>, token = "flow-token"): Promise<Response> {
  const encrypted = (await sealFrame(AES_KEY, { message: xmlOf(fields), receiver: "wwflow" })) ?? "";
  const timestamp = Math.floor(Date.now() / 1000);
  const url = await signedCall(encrypted, { token, timestamp, base: "https://isopod.test" });
  return SELF.fetch(post(url, encrypted));
}

async function sentTo(person: number) {
  const calls = await place.calls("message/send");
  return calls.map(({ fields }) => fields).filter(({ touser }) => touser === `person-${person}`);
}

channelFlow("wecom", {
  sessionKey: (person) => (person === OWNER ? "agent:main:main" : `agent:main:wecom:direct:person-${person}`),
  deliver: (person, text, id, { isForged } = {}) =>
    callBack(textOf(text, { FromUserName: `person-${person}`, MsgId: `${person}-${id}` }), isForged && "guess"),
  sentTo: async (person) => (await sentTo(person)).map((fields) => wecomMarkup.plain(contentOf(fields))),
  scriptSending: (answer) => place.script({ path: "message/send", ...answer }),
  async press() {
    const { template_card: card } = (await sentTo(OWNER)).at(-1) as {
      template_card: { task_id: string; button_list: { key: string }[] };
    };
    return callBack({
      ...{ ToUserName: "wwflow", FromUserName: `person-${OWNER}`, CreateTime: 1_800_000_000, AgentID: 1000002 },
      ...{ MsgType: "event", Event: "template_card_event" },
      ...{ TaskId: card.task_id, EventKey: card.button_list[0]?.key ?? "" },
    });
  },
});
