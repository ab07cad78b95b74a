import type { FakeAnswer, FakePlatform, PlatformCall } from "./fake-platform.ts";

const MAX_REQUEST_BYTES = 30 * 1024;
const MAX_TABLES = 5;

/** Feishu's open platform. It knows every app, and the app's id is in its token. */
export const fakeFeishu: FakePlatform = {
  name: "feishu",
  answer(call, memory) {
    const path = call.path.replace(/^open-apis\//, "").replace(/\?.*$/, "");
    if (path === "auth/v3/tenant_access_token/internal") return giveToken(call);
    const app = /^Bearer t-(\w+)$/.exec(call.headers.authorization ?? "")?.[1];
    if (app === undefined) return refusal(99991661, "Missing access token for authorization.");
    if (path === "bot/v3/info") {
      return { body: { code: 0, msg: "ok", bot: { activate_status: 2, app_name: "Isopod", open_id: "ou_bot" } } };
    }
    if (path === "im/v1/images") return upload(call, "image_key", 10);
    if (path === "im/v1/files") return upload(call, "file_key", 30);
    if (/^im\/v1\/messages(\/[^/]+\/reply)?$/.test(path) && call.method === "POST") return takeMessage(call, memory);
    if (/^im\/v1\/messages\/[^/]+\/reactions/.test(path)) return reaction(call, app);
    const resource = /^im\/v1\/messages\/[^/]+\/resources\/([^/]+)$/.exec(path);
    if (resource)
      return { headers: { "Content-Type": "application/octet-stream" }, body: `contents of ${resource[1]}` };
    if (/^im\/v1\/messages\/[^/]+$/.test(path)) {
      const item = {
        deleted: true,
        chat_id: "oc_1",
        sender: { id: "ou_ada", id_type: "open_id", sender_type: "user" },
      };
      return { body: { code: 0, msg: "success", data: { items: [item] } } };
    }
    if (/^im\/v1\/chats\/[^/]+$/.test(path)) return { body: { code: 0, msg: "ok", data: { chat_mode: "p2p" } } };
    return undefined;
  },
};

function giveToken({ fields }: PlatformCall): FakeAnswer {
  if (fields.app_secret === "") return { body: { code: 10014, msg: "app secret invalid" } };
  return { body: { code: 0, msg: "ok", tenant_access_token: `t-${fields.app_id}`, expire: 7200 } };
}

function upload({ fields }: PlatformCall, key: string, megabytes: number): FakeAnswer {
  const file = (fields.image ?? fields.file) as { size: number } | undefined;
  if (!file?.size) return refusal(234010, "File size can not be 0.");
  if (file.size > megabytes * 1024 * 1024) return refusal(234006, "The file size exceed the max value.");
  return { body: { code: 0, msg: "success", data: { [key]: `key_${file.size}` } } };
}

/** A message is taken once for its `uuid`. */
function takeMessage({ body, path, fields }: PlatformCall, memory: Record<string, unknown>): FakeAnswer {
  if (Buffer.byteLength(body) > MAX_REQUEST_BYTES)
    return refusal(230025, "The length of the message content reaches its limit.");
  if (!path.includes("/reply") && !/receive_id_type=(chat_id|open_id)/.test(path)) {
    return refusal(230001, "Your request contains an invalid request parameter, ext=invalid receive_id_type.");
  }
  const wrong = fields.msg_type === "interactive" ? cardProblem(String(fields.content)) : undefined;
  if (wrong !== undefined) return refusal(230099, `Failed to create card content, ext=${wrong}`);
  const taken = (memory.taken ?? {}) as Record<string, string>;
  const uuid = String(fields.uuid ?? crypto.randomUUID());
  const id = taken[uuid] ?? `om_${Object.keys(taken).length + 1}`;
  memory.taken = { ...taken, [uuid]: id };
  return { body: { code: 0, msg: "success", data: { message_id: id, chat_id: fields.receive_id ?? "oc_1" } } };
}

function cardProblem(content: string): string | undefined {
  const { schema, body } = JSON.parse(content) as { schema: string; body: { elements: Record<string, any>[] } };
  if (schema !== "2.0" || body.elements.length === 0) return "ErrCode: 200621; ErrMsg: parse card json err";
  const text = body.elements.map((element) => element.content ?? "").join("\n");
  const tables = text.match(/^\|[-:| ]+\|$/gm)?.length ?? 0;
  if (tables > MAX_TABLES) return "ErrCode: 11310; ErrMsg: card table number over limit; ErrorValue: table;";
  return undefined;
}

function reaction({ method, fields }: PlatformCall, app: string): FakeAnswer {
  if (method === "GET") {
    const of = (operator_id: string) => ({ reaction_id: `re_${operator_id}`, operator: { operator_id } });
    return { body: { code: 0, msg: "success", data: { items: [of("ou_ada"), of(app)] } } };
  }
  const type = (fields.reaction_type as { emoji_type?: string } | undefined)?.emoji_type;
  if (method === "POST" && !type) return refusal(231001, "The reaction type is invalid.");
  return { body: { code: 0, msg: "success", data: { reaction_id: "re_1" } } };
}

function refusal(code: number, msg: string): FakeAnswer {
  return { status: 400, body: { code, msg } };
}
