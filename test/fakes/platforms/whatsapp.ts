import type { FakeAnswer, FakePlatform, PlatformCall } from "./fake-platform.ts";

/** The access token that the server knows. */
export const WHATSAPP_TOKEN = "EAAG-whatsapp-access-token";
/** Templates that Meta has approved: the variables of each. */
const TEMPLATES: Record<string, readonly string[]> = {
  reopen_plain: [],
  reopen_first: ["1"],
  reopen_named: ["message"],
};

const UPLOADS =
  /^(?:audio\/(?:aac|mp4|mpeg|amr|ogg|opus)|application\/(?:pdf|msword|vnd\.ms-(?:excel|powerpoint)|vnd\.openxmlformats-officedocument\..*)|text\/plain|image\/(?:jpeg|png|webp)|video\/(?:mp4|3gpp))$/;

/** Meta's Graph API, as far as a WhatsApp number uses it. */
export const whatsappServer: FakePlatform = {
  name: "whatsapp",
  answer(call, memory) {
    if (call.headers.authorization !== `Bearer ${WHATSAPP_TOKEN}`) {
      return graphError(401, 190, "Error validating access token: Session has expired");
    }
    const [path = "", query] = call.path.split("?");
    const [first = "", edge] = path.split("/");
    if (call.method === "GET" && edge === "bytes") return { body: `contents of ${first}` };
    if (call.method === "GET" && query?.startsWith("fields=")) return { body: { id: first, ...numberOf(memory) } };
    if (call.method === "GET") {
      const url = `http://${call.headers.host}/whatsapp/lookaside/${first}/bytes`;
      return { body: { messaging_product: "whatsapp", id: first, url, mime_type: "image/jpeg", file_size: 21 } };
    }
    if (edge === "media") return uploaded(call, memory);
    if (edge === "messages") return sent(call, memory);
    if (edge === "subscribed_apps") return { body: { success: true } };
    if (edge === undefined && call.fields.webhook_configuration !== undefined) {
      memory.webhook = (call.fields.webhook_configuration as { override_callback_uri: string }).override_callback_uri;
      return { body: { success: true } };
    }
    return undefined;
  },
};

function numberOf(memory: Record<string, unknown>) {
  return {
    display_phone_number: "+1 555-000-1111",
    verified_name: "Isopod",
    quality_rating: "GREEN",
    webhook_configuration: { application: "https://old.example/webhook", phone_number: memory.webhook },
  };
}

function uploaded({ fields }: PlatformCall, memory: Record<string, unknown>): FakeAnswer {
  const file = fields.file as { type: string } | undefined;
  if (fields.messaging_product !== "whatsapp" || file === undefined || !UPLOADS.test(file.type)) {
    return graphError(
      400,
      100,
      `(#100) Param file must be a file with one of the following types. Received ${file?.type}`,
    );
  }
  return { body: { id: nextId(memory, "media") } };
}

type Fields = Record<string, any>;

function sent({ fields }: PlatformCall, memory: Record<string, unknown>): FakeAnswer {
  if (fields.messaging_product !== "whatsapp")
    return graphError(400, 100, "(#100) The parameter messaging_product is required.");
  if (fields.status === "read") return { body: { success: true } };
  const problem = problemWith(fields);
  if (problem !== undefined) return graphError(400, ...problem);
  const user = (fields.to ?? fields.recipient) as string;
  const body = {
    messaging_product: "whatsapp",
    contacts: [{ input: user, wa_id: user }],
    messages: [{ id: nextId(memory, "wamid") }],
  };
  return { body };
}

type Problem = [code: number, message: string];

function problemWith(fields: Fields): Problem | undefined {
  if ((fields.to === undefined) === (fields.recipient === undefined))
    return [100, "(#100) One of to and recipient is required."];
  if (String(fields.biz_opaque_callback_data ?? "").length > 512)
    return [100, "(#100) biz_opaque_callback_data is too long."];
  switch (fields.type) {
    case "text":
      return lengthProblem("text.body", fields.text?.body, 4096);
    case "interactive":
      return interactiveProblem(fields.interactive);
    case "template":
      return templateProblem(fields.template);
    case "reaction":
      return typeof fields.reaction?.message_id === "string"
        ? undefined
        : [131009, "(#131009) Parameter value is not valid"];
    case "image":
    case "video":
    case "audio":
    case "document":
      return typeof fields[fields.type]?.id === "string"
        ? undefined
        : [131009, "(#131009) Parameter value is not valid"];
    default:
      return [131051, "(#131051) Unsupported message type"];
  }
}

function lengthProblem(name: string, text: unknown, most: number): Problem | undefined {
  const isRight = typeof text === "string" && text !== "" && text.length <= most;
  return isRight ? undefined : [131009, `(#131009) ${name} has to have 1 to ${most} characters`];
}

function interactiveProblem({ type, body, action }: Fields): Problem | undefined {
  const isList = type === "list";
  const choices: Fields[] = isList
    ? action.sections.flatMap(({ rows }: Fields) => rows)
    : action.buttons.map(({ reply }: Fields) => reply);
  const [most, titleUnits, idUnits] = isList ? [10, 24, 200] : [3, 20, 256];
  const differ = (field: string) => new Set(choices.map((choice) => choice[field])).size === choices.length;
  if (choices.length < 1 || choices.length > most) return [131009, `(#131009) 1 to ${most} choices`];
  if (!differ("id") || !differ("title")) return [131009, "(#131009) Titles and ids have to differ"];
  return [
    lengthProblem("body.text", body.text, isList ? 4096 : 1024),
    ...choices.map(({ title }) => lengthProblem("title", title, titleUnits)),
    ...choices.map(({ id }) => lengthProblem("id", id, idUnits)),
  ].find((problem) => problem !== undefined);
}

function templateProblem({ name, language, components }: Fields): Problem | undefined {
  const variables = TEMPLATES[name];
  if (variables === undefined || language?.code !== "en_US")
    return [132001, "(#132001) Template name does not exist in the translation"];
  const given: Fields[] = components.flatMap(({ parameters }: Fields) => parameters);
  if (given.length !== variables.length)
    return [132000, "(#132000) Number of parameters does not match the expected number of params"];
  for (const { parameter_name: named = "1", text } of given) {
    if (!variables.includes(named)) return [132012, "(#132012) Parameter format does not match"];
    if (/[\n\t]| {5}/.test(text))
      return [132018, "(#132018) Param text cannot have new-line/tab characters or more than 4 consecutive spaces"];
    if (text.length > 900) return [132005, "(#132005) Translated text too long"];
  }
  return undefined;
}

/** An error as the Graph API gives it. */
export function graphError(status: number, code: number, message: string): FakeAnswer {
  return { status, body: { error: { message, type: "OAuthException", code, fbtrace_id: "Atrace" } } };
}

function nextId(memory: Record<string, unknown>, kind: string): string {
  const n = Number(memory[kind] ?? 0) + 1;
  memory[kind] = n;
  return kind === "media" ? `90000${n}` : `wamid.SENT${n}`;
}
