import type { FakeAnswer, FakePlatform, PlatformCall } from "./fake-platform.ts";

const MAX_CONTENT_BYTES = 2048;

/** WeCom's API. It knows every company and secret, and answers refusals with 200. */
export const fakeWecom: FakePlatform = {
  name: "wecom",
  answer(call, memory) {
    const { pathname, searchParams } = new URL(call.path, "http://wecom.test");
    if (pathname === "/cgi-bin/gettoken") {
      if (!searchParams.get("corpsecret")) return refusal(41004, "missing secret");
      return {
        body: { errcode: 0, errmsg: "ok", access_token: `token-${searchParams.get("corpid")}`, expires_in: 7200 },
      };
    }
    if (!searchParams.get("access_token")?.startsWith("token-")) return refusal(40014, "invalid access_token");
    if (pathname === "/cgi-bin/message/send") return takeMessage(call, memory);
    if (pathname === "/cgi-bin/media/upload") return upload(call, searchParams.get("type"));
    if (pathname === "/cgi-bin/agent/get") return { body: { errcode: 0, errmsg: "ok", name: "Isopod", close: 0 } };
    if (pathname === "/cgi-bin/media/get") {
      const body = `contents of ${searchParams.get("media_id")}`;
      return { headers: { "Content-Type": "application/octet-stream" }, body };
    }
    return undefined;
  },
};

function upload({ fields }: PlatformCall, type: string | null): FakeAnswer {
  if (!["image", "voice", "video", "file"].includes(type ?? "")) return refusal(40004, "invalid media type");
  const { name } = (fields.media ?? {}) as { name?: string };
  return { body: { errcode: 0, errmsg: "ok", type, media_id: `media_${name}`, created_at: "1380000000" } };
}

function takeMessage({ body, fields }: PlatformCall, memory: Record<string, unknown>): FakeAnswer {
  const { touser, msgtype, agentid } = fields;
  if (typeof agentid !== "number") return refusal(40056, "invalid agentid");
  if (touser === "@all" || touser === "" || String(touser).includes("|"))
    return refusal(81013, "user & party & tag all invalid");
  const { content = "" } = (fields[String(msgtype)] ?? {}) as { content?: string };
  if (Buffer.byteLength(content) > MAX_CONTENT_BYTES) return refusal(45002, "content size out of limit");
  if (msgtype === "template_card" && !/^[\w@-]{1,128}$/.test(taskId(fields))) return refusal(42014, "invalid task_id");
  const taken = (memory.taken ?? []) as string[];
  const known = fields.enable_duplicate_check === 1 ? taken.indexOf(body) : -1;
  memory.taken = known === -1 ? [...taken, body] : taken;
  return { body: { errcode: 0, errmsg: "ok", msgid: `msg_${known === -1 ? taken.length + 1 : known + 1}` } };
}

function taskId({ template_card: card }: Record<string, unknown>): string {
  return String((card as { task_id?: string } | undefined)?.task_id ?? "");
}

function refusal(errcode: number, errmsg: string): FakeAnswer {
  return { body: { errcode, errmsg: `${errmsg}, hint: [1700000000123456], from ip: 203.0.113.7` } };
}
