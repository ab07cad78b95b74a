import { head } from "../lib/text.ts";
import type { Directives } from "../models/message.ts";
import { CodeTracker } from "./markdown-code.ts";

/**
 * Removes directive tags from a reply while it streams. How the text is split into deltas does not change the result.
 */
export interface TagSplitter {
  /** The text of one more delta; a possible partial tag or `MEDIA:` line is held back. */
  push(delta: string): string;
  /** The text held back, at the end. */
  end(): string;
  /** The directives so far. */
  readonly directives: Directives;
}

/** The longest message id, the longest path, and the most that is read aloud, in UTF-16 units. */
const MAX_ID_UNITS = 128;
const MAX_LINE_UNITS = 2000;
const MAX_SPOKEN_UNITS = 10_000;
/** The longest list of settings in a tag. */
const MAX_SETTINGS_UNITS = 120;

const TAG = new RegExp(
  `^\\[\\[\\s{0,4}(?:(reply_to_current)|reply_to\\s{0,4}:\\s{0,4}([^\\s\\]]{1,${MAX_ID_UNITS}})|(audio_as_voice)|(tts)(?:\\s{0,4}:([^\\]\\n]{0,${MAX_SETTINGS_UNITS}}))?)\\s{0,4}\\]\\]`,
  "i",
);
const NAMES = ["reply_to_current", "reply_to", "audio_as_voice", "tts"];
const OPEN_TAG = /^\[(?:\[\s{0,4}([a-z_]*)(\s{0,4}(?::\s{0,4}[^\s\]]*)?\s{0,4}\]?))?$/i;
/** A `tts` tag that is not finished: its settings are separated by spaces. */
const OPEN_SETTINGS = new RegExp(`^\\[\\[\\s{0,4}tts\\s{0,4}:[^\\]\\n]{0,${MAX_SETTINGS_UNITS}}\\]?$`, "i");
/** What ends the words that are only spoken. */
const END_OF_SPEECH = "[[/tts:text]]";
const MEDIA = /^MEDIA:/i;
const OPEN_MEDIA = /^M(?:E(?:D(?:I(?:A)?)?)?)?$/i;

/**
 * Removes `[[reply_to_current]]`, `[[reply_to:<id>]]`, `[[audio_as_voice]]`, `[[tts]]` with its settings (`voice=…`),
 * words between `[[tts:text]]` and `[[/tts:text]]`, and lines `MEDIA:<path>`. Of a `MEDIA:` line with a web address the
 * address stays in the text. Tags inside code are plain text.
 */
export function createTagSplitter(): TagSplitter {
  const code = new CodeTracker();
  const directives: Directives = {};
  let held = "";
  /** Whether white space after a tag is removed with it. */
  let isSwallowing = false;
  /** Whether the text is only spoken. */
  let isSpoken = false;

  function keep(text: string): string {
    const kept = isSwallowing ? text.replace(/^[ \t]+/, "") : text;
    if (text !== "" && kept !== "") isSwallowing = false;
    code.note(kept);
    return kept;
  }

  function applyDirective([, current, id, asVoice, , settings = ""]: RegExpExecArray): void {
    if (current !== undefined) directives.replyTo = "current";
    else if (id !== undefined) directives.replyTo = { id };
    else if (asVoice !== undefined) directives.asVoice = true;
    else {
      const voice = /(?:^|\s)voice(?:id)?\s*=\s*([^\s=]+)/i.exec(settings)?.[1];
      isSpoken = settings.trim().toLowerCase() === "text";
      directives.speech = { ...directives.speech, ...(voice !== undefined && { voice }) };
    }
    isSwallowing = true;
  }

  /** Takes words that are only spoken, as far as they are there. Returns what follows them. */
  function speak(rest: string, isEnd: boolean): string {
    const end = rest.toLowerCase().indexOf(END_OF_SPEECH);
    const upTo = end !== -1 ? end : isEnd ? rest.length : rest.length - openEnd(rest);
    const { text = "" } = directives.speech ?? {};
    directives.speech = { ...directives.speech, text: head(`${text}${rest.slice(0, upTo)}`, MAX_SPOKEN_UNITS) };
    if (end === -1) return rest.slice(upTo);
    [isSpoken, isSwallowing] = [false, true];
    return rest.slice(end + END_OF_SPEECH.length);
  }

  function split(text: string, isEnd: boolean): string {
    let rest = text;
    let kept = "";
    while (rest !== "") {
      if (isSpoken) {
        rest = speak(rest, isEnd);
        if (!isSpoken) continue;
        held = rest;
        return kept;
      }
      if (code.isLineBlank) {
        const indent = /^[ \t]+/.exec(rest)?.[0] ?? "";
        kept += keep(indent);
        rest = rest.slice(indent.length);
        const line = code.isFenced ? undefined : mediaLine(rest, isEnd);
        if (line === "unfinished") {
          held = rest;
          return kept;
        }
        if (line !== undefined) {
          kept += keep(attached(line.replace(MEDIA, ""), directives));
          rest = rest.slice(line.length + 1);
          continue;
        }
      }
      const at = rest.search(/[[\n]/);
      const upTo = at === -1 ? rest.length : rest[at] === "\n" ? at + 1 : at;
      kept += keep(rest.slice(0, upTo));
      rest = rest.slice(upTo);
      if (!rest.startsWith("[")) continue;
      const tag = code.isInCode ? null : TAG.exec(rest);
      if (tag !== null) {
        applyDirective(tag);
        rest = rest.slice(tag[0].length);
      } else if (!isEnd && !code.isInCode && mayBecomeTag(rest)) {
        held = rest;
        return kept;
      } else {
        kept += keep("[");
        rest = rest.slice(1);
      }
    }
    return kept;
  }

  return {
    directives,
    push(delta) {
      const text = held + delta;
      held = "";
      return split(text, false);
    },
    end() {
      const text = held;
      held = "";
      return split(text, true);
    },
  };
}

/** A text without tags, and its directives. */
export function withoutTags(text: string): { text: string; directives: Directives } {
  const splitter = createTagSplitter();
  return { text: splitter.push(text) + splitter.end(), directives: splitter.directives };
}

/** The length of the end of a text that may be the beginning of `[[/tts:text]]`. */
function openEnd(text: string): number {
  const end = text.slice(1 - END_OF_SPEECH.length).toLowerCase();
  for (let at = 0; at < end.length; at++) if (END_OF_SPEECH.startsWith(end.slice(at))) return end.length - at;
  return 0;
}

function mayBecomeTag(beginning: string): boolean {
  if (beginning.length > MAX_ID_UNITS + 40) return false;
  if (OPEN_SETTINGS.test(beginning)) return true;
  const [match, name = "", more = ""] = OPEN_TAG.exec(beginning) ?? [];
  if (match === undefined) return false;
  const word = name.toLowerCase();
  return more.trim() === "" && !/\s/.test(more) ? NAMES.some((known) => known.startsWith(word)) : NAMES.includes(word);
}

/** The line at the start if it names a file; `unfinished` if that cannot be decided yet. */
function mediaLine(beginning: string, isEnd: boolean): string | undefined {
  if (!isEnd && OPEN_MEDIA.test(beginning)) return "unfinished";
  if (!MEDIA.test(beginning)) return undefined;
  const [line = ""] = beginning.split("\n", 1);
  if (line.length > MAX_LINE_UNITS) return undefined;
  return line.length < beginning.length || isEnd ? line : "unfinished";
}

/** Adds the file of a `MEDIA:` line to the directives and returns the text that remains of the line. */
function attached(named: string, directives: Directives): string {
  const bare = named.trim().replace(/^[`"'<]+|[`"'>]+$/g, "");
  if (/^https?:\/\//i.test(bare)) return `${bare}\n`;
  const path = bare.replace(/^file:\/\//i, "").replace(/^(?:\/workspace\/|\.\/)+/, "");
  if (path === "") return "";
  directives.files = [...new Set([...(directives.files ?? []), path])];
  return "";
}
