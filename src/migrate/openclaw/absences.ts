import { lengthOf, matchStart, type Path, type Pattern } from "./leaves.ts";

/** Why a field of OpenClaw has no counterpart, and what to do instead. */
export interface Absence {
  at: Pattern;
  why: string;
  hint: string;
  /** Applies only if the whole field is unknown. */
  whole?: true;
}

const NOTHING_TO_DO = "Nothing has to be done.";
const NO_MACHINE = "Isopod has no machine of its own.";
const OTHER_CHANNEL = "Isopod has no such channel.";

/** Fields of OpenClaw without a counterpart, the more specific ones first. */
const ABSENCES: readonly Absence[] = [
  {
    at: "gateway.auth",
    why: "Who may call is decided by the Worker's token alone.",
    hint: "Put a token into the Worker's secrets: wrangler secret put ISOPOD_TOKEN.",
  },
  {
    at: "gateway.http",
    why: "The OpenAI-compatible endpoints are always on, behind the token.",
    hint: NOTHING_TO_DO,
  },
  { at: "gateway.reload", why: "A new configuration holds from the next message on.", hint: NOTHING_TO_DO },
  {
    at: "gateway",
    why: "There is no gateway: port, address and certificates are Cloudflare's.",
    hint: "Give the Worker a route or a domain in wrangler.toml.",
  },
  {
    at: "env.shellEnv",
    why: "There is no shell whose variables could be read.",
    hint: "Put what is needed into the Worker's variables or secrets.",
  },
  {
    at: "env",
    why: "Variables are the Worker's, and their values are never stored in a configuration.",
    hint: "Put each of them into the Worker's secrets: wrangler secret put <NAME>.",
  },
  {
    at: "secrets",
    why: "Secrets come from the Worker's environment alone.",
    hint: 'Put each of them into the Worker\'s secrets, and name it as {source: "env", id: "<NAME>"}.',
  },
  {
    at: "browser",
    why: `${NO_MACHINE} The tool drives Cloudflare's browser.`,
    hint: "Bind it in wrangler.toml, see docs://web; tools.web.browser has its settings.",
  },
  { at: "canvasHost", why: `${NO_MACHINE} There is no canvas.`, hint: NOTHING_TO_DO },
  { at: "canvas", why: `${NO_MACHINE} There is no canvas.`, hint: NOTHING_TO_DO },
  { at: "nodes", why: "Isopod has no nodes.", hint: NOTHING_TO_DO },
  { at: "nodeHost", why: "Isopod has no nodes.", hint: NOTHING_TO_DO },
  { at: "discovery", why: `${NO_MACHINE} A Worker is found by its address.`, hint: NOTHING_TO_DO },
  { at: "bridge", why: `${NO_MACHINE} Clients use HTTP and WebSockets.`, hint: NOTHING_TO_DO },
  { at: "web", why: "WhatsApp's web client needs a process that stays.", hint: NOTHING_TO_DO },
  {
    at: "talk",
    why: "Nobody can talk with Isopod live.",
    hint: "Voice notes are understood, and messages.tts answers.",
  },
  { at: "tts", why: "Reading aloud is set elsewhere.", hint: "Set messages.tts." },
  { at: "messages.tts", why: "Reading aloud has fewer settings here.", hint: "See media.md, and set messages.tts." },
  { at: "audio", why: "Transcription is set elsewhere.", hint: "Set tools.media.audio." },
  { at: "tools.media", why: "Media have fewer settings here.", hint: "See media.md, and set tools.media.audio." },
  { at: "ui", why: "The page has one look.", hint: NOTHING_TO_DO },
  { at: "cli", why: "Isopod's command line has no settings.", hint: NOTHING_TO_DO },
  { at: "tui", why: "Isopod's command line has no settings.", hint: NOTHING_TO_DO },
  { at: "update", why: "A new version is a deploy.", hint: "Run npm run deploy." },
  { at: "logging", why: "The log is that of the Worker.", hint: "Look at it with wrangler tail, or in Workers Logs." },
  { at: "diagnostics", why: "The log is that of the Worker.", hint: "Look at it with wrangler tail." },
  {
    at: "plugins",
    why: "Plugins are compiled in, and none of OpenClaw's is.",
    hint: "GET /v1/plugins lists the plugins; hooks.internal.entries switches them.",
  },
  {
    at: "hooks.internal.entries",
    why: "There is no plugin of this name.",
    hint: "GET /v1/plugins lists the plugins.",
  },
  { at: "hooks.internal.load", why: "Plugins are compiled in.", hint: "Write one below src/plugins/, and deploy." },
  { at: "hooks.internal.handlers", why: "Plugins are compiled in.", hint: "Write one below src/plugins/, and deploy." },
  { at: "hooks.gmail", why: "Gmail's watcher needs a process that stays.", hint: "Let mail come in by a webhook." },
  { at: "hooks.transformsDir", why: "No code is loaded from files.", hint: "Write a plugin." },
  ...["command", "args", "env", "cwd", "workingDirectory"].map((field) => ({
    at: `mcp.servers.*.${field}`,
    why: "A Worker starts no programs.",
    hint: "Run the server elsewhere behind Streamable HTTP, and name its url.",
  })),
  ...["transport", "type"].map((field) => ({
    at: `mcp.servers.*.${field}`,
    why: "It is found out by asking the server.",
    hint: NOTHING_TO_DO,
  })),
  { at: "acp", why: "Isopod starts no other agents' programs.", hint: NOTHING_TO_DO },
  { at: "agents.defaults.cliBackends", why: "Isopod starts no programs.", hint: "Name a model with an API." },
  { at: "agents.list.*.runtime", why: "Isopod starts no other agents' programs.", hint: NOTHING_TO_DO },
  {
    at: "agents.defaults.sandbox",
    why: "There are no containers: what an agent does stays in its workspace.",
    hint: NOTHING_TO_DO,
  },
  {
    at: "agents.list.*.sandbox",
    why: "There are no containers: what an agent does stays in its workspace.",
    hint: NOTHING_TO_DO,
  },
  { at: "tools.sandbox", why: "There are no containers.", hint: "Use tools.allow and tools.deny." },
  { at: "tools.elevated", why: "There is no host on which more could be done.", hint: NOTHING_TO_DO },
  { at: "agents.list.*.tools.elevated", why: "There is no host on which more could be done.", hint: NOTHING_TO_DO },
  {
    at: "channels.*.accounts.*.groupAllowFrom",
    why: "Groups have no limits by sender here, so this limit would have no effect.",
    hint: "List only groups in `groups` whose members you trust, or set groupPolicy to 'disabled'.",
  },
  {
    at: "channels.*.accounts.*.groups.*.allowFrom",
    why: "Groups have no limits by sender here, so this limit would have no effect.",
    hint: "Leave the group out of `groups` where its members are not all trusted.",
  },
  {
    at: "channels.*.accounts.*.tokenFile",
    why: "There are no files that a secret could be read from.",
    hint: 'Put it into the Worker\'s secrets, and name it in botToken as {source: "env", id: "<NAME>"}.',
  },
  {
    at: "channels.whatsapp",
    why: `${OTHER_CHANNEL} WhatsApp's web client needs a process that stays.`,
    hint: NOTHING_TO_DO,
  },
  { at: "channels.signal", why: `${OTHER_CHANNEL} Signal's client needs a process that stays.`, hint: NOTHING_TO_DO },
  { at: "channels.imessage", why: `${OTHER_CHANNEL} iMessage needs a Mac.`, hint: NOTHING_TO_DO },
  { at: "channels.webchat", why: "The page is always there.", hint: "Open the Worker's address in a browser." },
  {
    at: "channels.*",
    why: OTHER_CHANNEL,
    hint: "What it was configured with is left out. GET /v1/config/schema?path=channels lists the channels.",
    whole: true,
  },
  {
    at: "channels.*.accounts.*.streaming",
    why: "Messages are not edited while they are written; long replies can be sent in blocks.",
    hint: "Set blockStreaming.",
  },
  {
    at: "channels.*.accounts.*.streamMode",
    why: "Messages are not edited while they are written; long replies can be sent in blocks.",
    hint: "Set blockStreaming.",
  },
  { at: "commands", why: "Commands are not configurable here.", hint: NOTHING_TO_DO },
  { at: "agents.defaults.typingMode", why: "The typing indicator is always on.", hint: NOTHING_TO_DO },
  {
    at: "channels.*.accounts.*.historyLimit",
    why: "A group's session has its own history.",
    hint: NOTHING_TO_DO,
  },
  {
    at: "channels.*.accounts.*.dmHistoryLimit",
    why: "How much of a conversation a model sees is bounded in tokens here.",
    hint: "Set agents.defaults.contextTokens.",
  },
  {
    at: "channels.*.accounts.*.mediaMaxMb",
    why: "A file that comes with a message may have 10 MiB.",
    hint: NOTHING_TO_DO,
  },
  { at: "agents.defaults.mediaMaxMb", why: "A file that comes with a message may have 10 MiB.", hint: NOTHING_TO_DO },
  {
    at: "agents.defaults.models.*.params",
    why: "Parameters are set for an agent here, and not for a model.",
    hint: "Set agents.defaults.params, or params of an agent.",
  },
  { at: "agents.defaults.compaction.mode", why: "Conversations are summarized in one way.", hint: NOTHING_TO_DO },
  {
    at: "agents.defaults.contextPruning.ttl",
    why: "Old results are shortened by how full the context is, and not by their age.",
    hint: "Set agents.defaults.contextPruning.startRatio.",
  },
  { at: "tools.exec.host", why: "Commands run in one place.", hint: NOTHING_TO_DO },
  { at: "tools.fs", why: "File tools reach the agent's workspace and nothing else.", hint: NOTHING_TO_DO },
  {
    at: "tools.subagents",
    why: "A sub-agent has the rights of the run that began it.",
    hint: "Use tools.deny, or tools of an agent.",
  },
  { at: "tools.web.fetch.maxCharsCap", why: "tools.web.fetch.maxChars is the cap.", hint: NOTHING_TO_DO },
  { at: "tools.web.fetch.readability", why: "The main part of a page is always looked for.", hint: NOTHING_TO_DO },
  {
    at: "tools.web.fetch.ssrfPolicy",
    why: "Private addresses are let through one by one.",
    hint: "Set security.egress.allowPrivate.",
  },
  { at: "memory.backend", why: "Memory is in D1.", hint: NOTHING_TO_DO },
  { at: "memory.qmd", why: `${NO_MACHINE} No program can be started.`, hint: NOTHING_TO_DO },
  { at: "session.threadBindings", why: "A thread is a session of its own.", hint: NOTHING_TO_DO },
  { at: "session.store", why: "Sessions are in Durable Objects.", hint: NOTHING_TO_DO },
  {
    at: "session.maintenance",
    why: "Retention is configured in days.",
    hint: "Set session.retention.days.",
  },
  { at: "session.resetTriggers", why: "The commands are /new and /reset.", hint: NOTHING_TO_DO },
  { at: "cron.store", why: "Jobs are in D1.", hint: NOTHING_TO_DO },
  { at: "skills.load.allowSymlinkTargets", why: "There are no links in a bucket.", hint: NOTHING_TO_DO },
  {
    at: "skills.install.allowUploadedArchives",
    why: "Every holder of the Worker's token may install skills by uploading them.",
    hint: "Set skills.install.requireSignature to take signed ones only.",
  },
  {
    at: "skills.workshop",
    why: "Agents write skills as files of their workspace here.",
    hint: "Deny them the tools that write, or list the skills that they may use in `skills`.",
  },
  { at: "skills.install", why: "Nothing is installed on a machine.", hint: NOTHING_TO_DO },
  ...["agents.defaults.memorySearch", "agents.list.*.memorySearch"].flatMap((at): Absence[] => [
    { at: `${at}.local`, why: "A model in a file cannot be run here.", hint: "Use a provider with an API." },
    { at: `${at}.store`, why: "The index is in D1, with vectors in Vectorize where it is bound.", hint: NOTHING_TO_DO },
    {
      at: `${at}.remote.batch`,
      why: "Texts are embedded at once, several in a request, and not by jobs of a provider.",
      hint: NOTHING_TO_DO,
    },
    { at: `${at}.multimodal`, why: "Memory is text.", hint: NOTHING_TO_DO },
  ]),
  {
    at: "agents.defaults.allowedModels",
    why: "It is of OpenClaw's first versions.",
    hint: "Name the models in agents.defaults.models.",
  },
  {
    at: "agents.defaults.modelAliases",
    why: "It is of OpenClaw's first versions.",
    hint: "Give models their `alias` in agents.defaults.models.",
  },
];

/** A field whose content is in another file. */
export const INCLUDE: Omit<Absence, "at"> = {
  why: "Other files cannot be read from here.",
  hint: "Put what is in the file into its place, and import the document again.",
};

/**
 * The most specific absence of a path, with the number of steps that it covers.
 * @param unknown the part of the document that it is in, all of which is unknown
 */
export function absenceOf(path: Path, unknown: Path): { why: string; hint: string; length: number } | undefined {
  const found = ABSENCES.filter(
    ({ at, whole }) => matchStart(path, at) !== undefined && (!whole || unknown.length <= lengthOf(at)),
  );
  const [narrowest] = found.sort((a, b) => lengthOf(b.at) - lengthOf(a.at));
  return narrowest === undefined ? undefined : { ...narrowest, length: lengthOf(narrowest.at) };
}
