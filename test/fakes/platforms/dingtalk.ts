import type { FakeAnswer, FakePlatform, PlatformCall } from "./fake-platform.ts";

const MAX_BYTES = 20_000;
const FILE_TYPES = ["xlsx", "pdf", "zip", "rar", "doc", "docx"];

/** DingTalk's API, the older one and the addresses that come with messages. It knows every app. */
export const fakeDingtalk: FakePlatform = {
  name: "dingtalk",
  answer(call, memory) {
    const { pathname, searchParams } = new URL(call.path, "http://dingtalk.test");
    if (pathname === "/v1.0/oauth2/accessToken") return giveToken(call);
    if (pathname === "/robot/sendBySession") return takeReply(call, searchParams.get("session"));
    if (pathname === "/media/upload") {
      if (!searchParams.get("access_token")?.startsWith("token-")) return old(40014, "不合法的access_token");
      const { name } = (call.fields.media ?? {}) as { name?: string };
      return { body: { errcode: 0, errmsg: "ok", type: searchParams.get("type"), media_id: `@${name}` } };
    }
    if (pathname.startsWith("/files/")) {
      const headers = { "Content-Type": "application/octet-stream" };
      return { headers, body: `contents of ${pathname.slice("/files/".length)}` };
    }
    const token = call.headers["x-acs-dingtalk-access-token"];
    if (!token?.startsWith("token-")) return refusal("InvalidAuthentication", "不合法的access_token");
    if (call.fields.robotCode === "unknown") return refusal("invalidParameter.robotCode.notExist", "robot 不存在");
    if (pathname === "/v1.0/robot/messageFiles/download") {
      const host = `http://${call.headers.host}/dingtalk/place`;
      return { body: { downloadUrl: `${host}/files/${call.fields.downloadCode}?Signature=signed-address` } };
    }
    if (pathname === "/v1.0/robot/oToMessages/batchSend") return takeMessage(call, memory, call.fields.userIds);
    if (pathname === "/v1.0/robot/groupMessages/send") return takeMessage(call, memory, call.fields.openConversationId);
    return undefined;
  },
};

function giveToken({ fields }: PlatformCall): FakeAnswer {
  if (!fields.appSecret) return refusal("invalidClientIdOrSecret", "无效的clientId或者clientSecret");
  return { body: { accessToken: `token-${fields.appKey}`, expireIn: 7200 } };
}

function takeReply({ body, fields }: PlatformCall, session: string | null): FakeAnswer {
  if (session === null || session === "gone") return old(300001, "session 不存在");
  if (Buffer.byteLength(body) > MAX_BYTES) return old(460101, "message too long");
  const { title, text } = (fields.markdown ?? {}) as { title?: string; text?: string };
  return fields.msgtype === "markdown" && title && text ? old(0, "ok") : old(40035, "缺少参数 json");
}

function takeMessage({ body, fields }: PlatformCall, memory: Record<string, unknown>, to: unknown): FakeAnswer {
  if (!to || to.toString() === "") return refusal("invalidParameter.userIds.empty", "userIds is empty");
  if (Buffer.byteLength(body) > MAX_BYTES) return refusal("invalidParameter.msgParam.tooLong", "message too long");
  const { fileType } = JSON.parse(String(fields.msgParam)) as { fileType?: string };
  if (fields.msgKey === "sampleFile" && !FILE_TYPES.includes(fileType ?? "")) {
    return refusal("invalidParameter.msgParam.fileType", "file type is not supported");
  }
  const count = Number(memory.count ?? 0) + 1;
  memory.count = count;
  return { body: { processQueryKey: `query_${count}`, invalidStaffIdList: [], flowControlledStaffIdList: [] } };
}

function old(errcode: number, errmsg: string): FakeAnswer {
  return { body: { errcode, errmsg } };
}

function refusal(code: string, message: string): FakeAnswer {
  return { status: 400, body: { code, message, requestid: "F9D1" } };
}
