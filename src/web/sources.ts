import { isSilence } from "../client/silence.ts";
import type { Turn } from "./turns.ts";

/** Most pages that are shown under an answer. */
const MAX_SOURCES = 8;
const MAX_TITLE_CHARS = 120;

/** A page that an answer may rest on, to be opened in a tab of its own. */
export interface Source {
  url: string;
  /** As the page has it: plain text, and nothing that is known to be true. */
  title: string;
  host: string;
}

/** The pages that a turn has read, then those that it found, once its last message is an answer; each once. */
export function turnSources({ messages }: Pick<Turn, "messages">): Source[] {
  const last = messages.at(-1);
  if (last?.role !== "assistant" || last.stop === "tool-calls") return [];
  const said = last.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (said.trim() === "" || isSilence(said)) return [];
  const results = messages.flatMap((message) => (message.role === "tool" && !message.isError ? [message] : []));
  const readFirst = results.toSorted((a, b) => Number(b.tool === "web_fetch") - Number(a.tool === "web_fetch"));
  const found = readFirst.flatMap(({ sources = [] }) => sources.flatMap(({ url, title }) => source(url, title) ?? []));
  return found.filter(({ url }, at) => found.findIndex((one) => one.url === url) === at).slice(0, MAX_SOURCES);
}

/** A page with an address of the web; undefined for any other address. */
function source(address: string, given: string): Source | undefined {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  const title = [...given.replace(/[\s\p{C}]+/gu, " ").trim()].slice(0, MAX_TITLE_CHARS).join("");
  return { url: url.href, title: title === "" ? url.host : title, host: url.host };
}
