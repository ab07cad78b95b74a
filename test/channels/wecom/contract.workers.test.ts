import { wecomMarkup } from "../../../src/channels/markup/wecom.ts";
import { wecom } from "../../../src/channels/wecom/wecom.ts";
import { channelContract, type PlatformBehaviour } from "../../contracts/channel.ts";
import type { ScriptedPlatformAnswer } from "../../fakes/platforms/fake-platform.ts";
import { AES_KEY, contentOf, makeApplication, textOf, xmlOf } from "./test-application.ts";

const ANSWERS: Record<PlatformBehaviour, ScriptedPlatformAnswer> = {
  busy: { status: 429, headers: { "Retry-After": "7" }, body: { errcode: 45009, errmsg: "api freq out of limit" } },
  refusing: { body: { errcode: 81013, errmsg: "user & party & tag all invalid" } },
  silent: { hang: true },
  "cut after taking": { cut: "after" },
};

channelContract("wecom", () => {
  const application = makeApplication();
  const { token, secret } = application.secrets;
  return {
    channel: wecom,
    context: application.context,
    minimalAccount: {},
    target: application.target,
    secrets: [token, secret, AES_KEY],
    maxPart: 2048,
    methods: ["GET"],
    nonsense: ["", "{}", "<xml>", "<xml><Encrypt/></xml>", xmlOf({ Content: "hello" }), new Uint8Array([0xff, 0xfe])],
    genuine: () => application.message(textOf("hello")),
    genuineWith: (body) => application.signed(body),
    forged: () => application.message(textOf("hello"), { token: `${token}x` }),
    withFile: async () => ({
      request: await application.message({ ...textOf(""), MsgType: "image", MediaId: "m_9" }),
      contents: "contents of m_9",
    }),
    withoutSecrets: () => ({ ...application.context, secret: () => undefined }),
    shown: wecomMarkup.plain,
    behave: (behaviour) => {
      const path = behaviour === "refusing" ? "cgi-bin" : "message/send";
      return application.script({ path, ...ANSWERS[behaviour] });
    },
    taken: async () => (await application.calls("message/send")).map(({ fields }) => contentOf(fields)),
  };
});
