import type { FakeAnswer, FakePlatform, PlatformCall } from "./fake-platform.ts";

/** A message as Discord keeps it. */
interface Kept {
  id: string;
  channel_id: string;
  content: string;
  flags: number;
  nonce?: unknown;
  isDeleted?: true;
}

/** What a place remembers: the bot's messages, and interactions by their tokens. */
interface Memory {
  messages: Kept[];
  interactions: Record<string, { original?: Kept }>;
  endpoint: string | null;
  commands: unknown;
  flags: number;
  /** Where its Gateway is, and how many sessions may be begun. */
  gateway: { url: string; remaining: number };
}

const LOADING = 128;
const EPHEMERAL = 64;
const FIRST_ID = 1_400_000_000_000_000_000n;

/**
 * Discord's API: `/<place>/…` is its address. A test tells it the answers that the Worker gives to interactions by
 * Discord's own route, `POST interactions/<id>/<token>/callback`. The token `wrong` is no bot's.
 */
export const discordPlatform: FakePlatform = {
  name: "discord",
  answer(call, memory) {
    const known = withDefaults(memory);
    const [path = ""] = call.path.split("?");
    const isInteraction = /^(?:webhooks|interactions)\//.test(path);
    if (!isInteraction && !/^Bot (?!wrong$)\S+$/.test(call.headers.authorization ?? ""))
      return refused(401, 0, "401: Unauthorized");
    if (!call.headers["user-agent"]?.startsWith("DiscordBot (")) return refused(403, 40333, "internal network error");
    for (const [pattern, answer] of ROUTES) {
      const match = pattern.exec(`${call.method} ${path}`);
      if (match) return answer(call, known, match.slice(1).map(decodeURIComponent));
    }
    return refused(404, 0, "404: Not Found");
  },
};

type Route = (call: PlatformCall, memory: Memory, parts: string[]) => FakeAnswer;

const ROUTES: readonly (readonly [RegExp, Route])[] = [
  [/^GET users\/@me$/, () => ({ body: { id: "900", username: "Isopod", bot: true } })],
  [/^POST users\/@me\/channels$/, (call) => openDirect(String(call.fields.recipient_id))],
  [/^GET applications\/@me$/, (_, memory) => ({ body: applicationOf(memory) })],
  [/^PATCH applications\/@me$/, (call, memory) => setEndpoint(call, memory)],
  [/^PUT applications\/(\d+)\/commands$/, (call, memory) => setCommands(call, memory)],
  [
    /^GET channels\/(\d+)$/,
    (_, __, [id = ""]) => ({
      body: {
        id,
        type: id.startsWith("77") ? 11 : 0,
        name: `channel-${id}`,
        parent_id: id.startsWith("77") ? "555" : null,
      },
    }),
  ],
  [/^POST channels\/(\d+)\/messages$/, (call, memory, [id = ""]) => createMessage(call, memory, id)],
  [
    /^GET channels\/(\d+)\/messages\/(\d+)$/,
    (_, __, [, id = ""]) => ({
      body: {
        id,
        reactions: [
          { me: true, emoji: { id: null, name: "👍" } },
          { me: false, emoji: { id: null, name: "🎉" } },
        ],
      },
    }),
  ],
  [/^POST channels\/(\d+)\/typing$/, () => ({ status: 204 })],
  [
    /^(?:PUT|DELETE) channels\/(\d+)\/messages\/(\d+)\/reactions\/([^/]+)\/@me$/,
    (_, __, [, , emoji = ""]) => react(emoji),
  ],
  [/^POST attachments\/refresh-urls$/, (call) => refreshUrls(call)],
  [/^GET guilds\/(\d+)\/roles$/, () => ({ body: ROLES })],
  [/^GET gateway\/bot$/, (_, { gateway }) => ({ body: gatewayBot(gateway) })],
  [/^POST interactions\/(\d+)\/([^/]+)\/callback$/, (call, memory, [, token = ""]) => acknowledge(call, memory, token)],
  [/^GET webhooks\/(\d+)\/([^/]+)\/messages\/@original$/, (_, memory, [, token = ""]) => originalOf(memory, token)],
  [
    /^PATCH webhooks\/(\d+)\/([^/]+)\/messages\/@original$/,
    (call, memory, [, token = ""]) => editOriginal(call, memory, token),
  ],
  [
    /^DELETE webhooks\/(\d+)\/([^/]+)\/messages\/@original$/,
    (_, memory, [, token = ""]) => deleteOriginal(memory, token),
  ],
  [/^POST webhooks\/(\d+)\/([^/]+)$/, (call, memory, [, token = ""]) => followUp(call, memory, token)],
];

function withDefaults(memory: Record<string, unknown>): Memory {
  memory.messages ??= [];
  memory.interactions ??= {};
  memory.endpoint ??= null;
  memory.flags ??= 1 << 19;
  memory.gateway ??= { url: "ws://127.0.0.1:9/", remaining: 1000 };
  return memory as unknown as Memory;
}

const ROLES = [
  { id: "9001", name: "Isopod", tags: { bot_id: "900" } },
  { id: "9002", name: "Members" },
];

function gatewayBot({ url, remaining }: Memory["gateway"]) {
  const limit = { total: 1000, remaining, reset_after: 3_600_000, max_concurrency: 1 };
  return { url, shards: 1, session_start_limit: limit };
}

function refused(status: number, code: number, message: string): FakeAnswer {
  return { status, body: { message, code } };
}

/** The public key of the tests' private key, RFC 8032's first. */
const VERIFY_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

function applicationOf({ endpoint, flags }: Memory) {
  return { id: "1000", name: "Isopod", verify_key: VERIFY_KEY, interactions_endpoint_url: endpoint, flags };
}

function setEndpoint({ fields }: PlatformCall, memory: Memory): FakeAnswer {
  const address = String(fields.interactions_endpoint_url);
  if (!address.startsWith("https://")) return refused(400, 50035, "Invalid Form Body");
  memory.endpoint = address;
  return { body: applicationOf(memory) };
}

function setCommands(call: PlatformCall, memory: Memory): FakeAnswer {
  const commands: { name: string; type?: number; description?: string; options?: { required?: boolean }[] }[] =
    JSON.parse(call.body);
  const isText = (type = 1) => type === 1;
  const names = commands.map(({ name, type = 1 }) => `${type} ${name}`);
  const isRight = commands.every(({ name, type, description = "" }) => {
    return isText(type)
      ? /^[-_a-z0-9]{1,32}$/.test(name) && description.length > 0 && description.length <= 100
      : name.length <= 32;
  });
  if (!isRight || new Set(names).size !== names.length || commands.filter(({ type }) => isText(type)).length > 100) {
    return refused(400, 50035, "Invalid Form Body");
  }
  memory.commands = commands;
  return { body: commands };
}

/** A person's channel has the person's id with `88` before it; 404 is nobody, and 403 takes no messages. */
function openDirect(person: string): FakeAnswer {
  if (person === "404") return refused(400, 50033, "Invalid Recipient(s)");
  return { body: { id: `88${person}`, type: 1 } };
}

function createMessage(call: PlatformCall, memory: Memory, channelId: string): FakeAnswer {
  if (channelId === "88403") return refused(403, 50007, "Cannot send messages to this user");
  const message = messageIn(call);
  const known = message.enforce_nonce
    ? memory.messages.find(({ nonce }) => nonce !== undefined && nonce === message.nonce)
    : undefined;
  return known ? { body: known } : keep(message, channelId, memory);
}

type Fields = Record<string, unknown> & {
  enforce_nonce?: unknown;
  nonce?: unknown;
  flags?: unknown;
  content?: unknown;
};

/** The fields of a message, in JSON or beside a file. */
function messageIn({ fields }: PlatformCall): Fields {
  if (typeof fields.payload_json !== "string") return fields;
  const { payload_json, ...files } = fields;
  return { ...JSON.parse(payload_json), files };
}

function keep(message: Fields, channelId: string, memory: Memory): FakeAnswer {
  const problem = problemOf(message);
  if (problem !== undefined) return refused(400, 50035, problem);
  if (String(message.content ?? "").trim() === "" && message.files === undefined) {
    return refused(400, 50006, "Cannot send an empty message");
  }
  const id = String(FIRST_ID + BigInt(memory.messages.length));
  const kept = {
    ...message,
    id,
    channel_id: channelId,
    content: String(message.content ?? ""),
    flags: Number(message.flags ?? 0),
  };
  memory.messages.push(kept);
  return { body: kept };
}

interface Row {
  components: { label: string; custom_id: string }[];
}

function problemOf({ content, nonce, components = [] }: Fields): string | undefined {
  if ([...String(content ?? "")].length > 2000) return "content: Must be 2000 or fewer in length.";
  if (nonce !== undefined && String(nonce).length > 25) return "nonce: Must be 25 or fewer in length.";
  const rows = components as Row[];
  const ids = rows.flatMap((row) => row.components.map(({ custom_id: id }) => id));
  const isTooMuch = rows.length > 5 || rows.some((row) => row.components.length < 1 || row.components.length > 5);
  if (isTooMuch) return "components: Must be between 1 and 5 in length.";
  if (new Set(ids).size !== ids.length) return "components: Component custom id cannot be duplicated";
  const isLong = rows.some((row) =>
    row.components.some(({ label, custom_id: id }) => label.length > 80 || id.length < 1 || id.length > 100),
  );
  return isLong ? "components: Must be 100 or fewer in length." : undefined;
}

function react(emoji: string): FakeAnswer {
  const isKnown = /^\p{Extended_Pictographic}/u.test(emoji) || /^\w+:\d+$/.test(emoji);
  return isKnown ? { status: 204 } : refused(400, 10014, "Unknown Emoji");
}

function refreshUrls({ fields }: PlatformCall): FakeAnswer {
  const urls = fields.attachment_urls as string[];
  return { body: { refreshed_urls: urls.map((original) => ({ original, refreshed: `${original}?renewed` })) } };
}

/** The Worker's first answer to an interaction: from now on its token is valid. */
function acknowledge({ fields }: PlatformCall, memory: Memory, token: string): FakeAnswer {
  const { type, data = {} } = fields as { type: number; data?: { content?: string; flags?: number } };
  const made = { id: `${token}-original`, channel_id: "0", content: data.content ?? "" };
  if (type === 4) memory.interactions[token] = { original: { ...made, flags: data.flags ?? 0 } };
  else if (type === 5)
    memory.interactions[token] = { original: { ...made, flags: LOADING | ((data.flags ?? 0) & EPHEMERAL) } };
  else if (type === 6) memory.interactions[token] = {};
  return { status: 204 };
}

const UNKNOWN_WEBHOOK = refused(404, 10015, "Unknown Webhook");
const UNKNOWN_MESSAGE = refused(404, 10008, "Unknown Message");

function originalOf({ interactions }: Memory, token: string): FakeAnswer {
  const known = interactions[token];
  if (known === undefined) return UNKNOWN_WEBHOOK;
  return known.original === undefined || known.original.isDeleted ? UNKNOWN_MESSAGE : { body: known.original };
}

function editOriginal(call: PlatformCall, memory: Memory, token: string): FakeAnswer {
  const there = originalOf(memory, token);
  const original = memory.interactions[token]?.original;
  if (there.status !== undefined || original === undefined) return there;
  const message = messageIn(call);
  const problem = problemOf(message);
  if (problem !== undefined) return refused(400, 50035, problem);
  Object.assign(original, message, { flags: original.flags & ~LOADING });
  return { body: original };
}

function deleteOriginal(memory: Memory, token: string): FakeAnswer {
  const there = originalOf(memory, token);
  const original = memory.interactions[token]?.original;
  if (there.status !== undefined || original === undefined) return there;
  original.isDeleted = true;
  return { status: 204 };
}

function followUp(call: PlatformCall, memory: Memory, token: string): FakeAnswer {
  if (memory.interactions[token] === undefined) return UNKNOWN_WEBHOOK;
  const { nonce: _, ...message } = messageIn(call);
  return keep(message, "0", memory);
}
