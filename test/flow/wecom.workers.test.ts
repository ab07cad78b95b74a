import { inject } from "vitest";
import { sealFrame } from "../../src/channels/framed-cipher.ts";
import { wecomMarkup } from "../../src/channels/markup/wecom.ts";
import { knownPlace } from "../channels/platform-lab.ts";
import { AES_KEY, contentOf, post, signedCall, textOf, xmlOf } from "../channels/wecom/test-application.ts";
import { ownerMessages } from "./owner-messages.ts";

async function message(fields: Record<string, string | number>, token = "flow-token"): Promise<Request> {
  const xml = xmlOf({ ...fields, FromUserName: "owner" });
  const encrypted = (await sealFrame(AES_KEY, { message: xml, receiver: "wwflow" })) ?? "";
  const timestamp = Math.floor(Date.now() / 1000);
  const url = await signedCall(encrypted, { token, timestamp, base: "https://isopod.test" });
  return post(url, encrypted);
}

ownerMessages("WeCom", {
  place: knownPlace("wecom", "flow", inject("platforms")),
  sendPath: "message/send",
  message: (text, id) => message(textOf(text, { MsgId: id })),
  forged: () => message(textOf("Let me in", { MsgId: "8" }), "guess"),
  words: ({ fields }) => wecomMarkup.plain(contentOf(fields)),
  busy: { status: 429, headers: { "Retry-After": "1" }, body: { errcode: 45033, errmsg: "too many requests" } },
  broken: { status: 500, body: "Internal Server Error" },
  press({ fields }) {
    const { task_id, button_list } = (fields as { template_card: { task_id: string; button_list: { key: string }[] } })
      .template_card;
    const press = {
      MsgType: "event",
      Event: "template_card_event",
      TaskId: task_id,
      EventKey: button_list[0]?.key ?? "",
    };
    return message({ ToUserName: "wwflow", CreateTime: 1_800_000_000, AgentID: 1000002, ...press });
  },
});
