import { head } from "../../lib/text.ts";

/** The text of a mail, with what it repeats of others set apart. */
export interface SplitText {
  /** What its author wrote, answers between quoted lines included. */
  own: string;
  /** The mails that it answers or passes on. */
  quoted?: string;
  /** The line or lines that say who wrote them. */
  quotedFrom?: string;
  /** Whether own words stand between or after quoted lines, so that they make little sense alone. */
  isInterleaved: boolean;
}

/** What a mail is, by its header. */
export type MailKind = "new" | "reply" | "forward";

/** Longest text that is read, in UTF-16 units: no message is longer. */
const MAX_BODY_UNITS = 200_000;
/** Most lines that an attribution is wrapped over, and its longest text. */
const MAX_ATTRIBUTION_LINES = 3;
const MAX_ATTRIBUTION_CHARS = 400;
/** Most lines of a signature. */
const MAX_SIGNATURE_LINES = 12;

/** "On Monday, Ada wrote:" in the languages of mail programs, where the first word tells. */
const ATTRIBUTIONS: readonly RegExp[] = [
  /^(?:-{2,}\s*)?On\s.+wrote\s?:?(?:\s*-{2,})?$/i,
  /^(?:Am|Den)\s(?:.*\s)?(?:schrieb|skrev)(?:\s.*)?:$/i,
  /^Le\s.+\sa\s[ée]crit\s?:$/i,
  /^El\s.+\sescribi[óo]\s?:$/i,
  /^(?:Il|In data)\s.+\sha\sscritto\s?:$/i,
  /^(?:Em|A)\s.+\sescreveu\s?:$/i,
  /^Op\s.+\sschreef(?:\s.*)?:$/i,
];
/** The same where it may begin with a name or a date: a year or a time has to be in it. */
const DATED_ATTRIBUTIONS: readonly RegExp[] = [
  /\s(?:schrieb|skrev)(?:\s.*)?:$/i,
  /\s(?:pisze|napisał\S*|kirjoitti|пишет|(?:на)?писала?\S*)\s?:$/i,
  /(?:写道|寫道|写到|のメッセージ|は書きました|が書きました|작성|님이 씀)\s?[:：]$/,
  /<[^<>\s]+@[^<>\s]+>\s?[:：]$/,
];
const DATED = /\d{4}|\d{1,2}[:.]\d{2}/;
const MAY_END_ATTRIBUTION = /(?:[:：]|wrote(?:\s*-+)?)\s*$/i;

/** Lines before a mail that is repeated whole, by the words of mail programs. */
const SEPARATOR =
  /^[-_\s]{2,}(?:original message|urspr(?:ü|u)ngliche nachricht|message d['’]origine|mensaje original|messaggio originale|mensagem original|oorspronkelijk bericht|oprindelig besked|opprinnelig melding|ursprungligt meddelande|原始邮件|邮件原件|原始郵件|元のメッセージ|원본 메시지|исходное сообщение)[-_\s]{2,}$/i;
const FORWARD =
  /^(?:[-_\s]{2,}(?:forwarded message|weitergeleitete nachricht|message transf(?:é|e)r(?:é|e)|mensaje reenviado|messaggio inoltrato|mensagem encaminhada|doorgestuurd bericht|转发的(?:邮件|消息)|转发邮件|轉寄的郵件|転送(?:された)?メッセージ|전달된 메시지|пересылаемое сообщение)[-_\s]{2,}|(?:begin forwarded message|anfang der weitergeleiteten nachricht|début du message transféré|开始转发的邮件|下面是被转发的邮件)\s?[:：])$/i;

/** The first line of a header that mail programs put above a repeated mail, and lines that follow it. */
const HEADER_FROM = /^(?:from|von|de|da|van|från|fra|od|от|发件人|寄件者|寄件人|差出人|送信者|보낸 사람)\s?[:：]\s?\S/i;
const HEADER_MORE =
  /^(?:sent|date|to|subject|gesendet|datum|an|betreff|envoyé|à|objet|enviado(?: el)?|fecha|para|asunto|inviato|data|a|oggetto|assunto|verzonden|aan|onderwerp|skickat|till|ämne|wysłano|do|temat|отправлено|дата|кому|тема|发送时间|日期|时间|收件人|主题|主旨|寄件日期|收件者|送信日時|日時|宛先|件名|보낸 날짜|받는 사람|제목)\s?[:：]/i;
/** Lines after HEADER_FROM in which two others have to be found. */
const HEADER_LINES = 6;

const SENT_FROM =
  /^(?:sent from (?:my |outlook|mail )|get outlook for |(?:von meinem |gesendet (?:von|mit) )|envoyé (?:de mon |depuis |à partir de )|enviado desde (?:mi )?|inviato da |verstuurd vanaf |发自我的|从我的.{1,20}发送|發自我的|.{0,20}から送信$)/i;

/**
 * Sets apart what a mail repeats of others. Of a new mail only what it passes on; a reply also has quoted lines, under a
 * line that says who wrote them, or the whole mail under a separator or a header. Takes linear time.
 */
export function splitQuoted(body: string, kind: MailKind): SplitText {
  const lines = head(body, MAX_BODY_UNITS).replace(/\r\n?/g, "\n").split("\n");
  const forwardedAt = lines.findIndex((line) => FORWARD.test(bare(line)));
  const wholeAt = kind === "new" ? -1 : lines.findIndex((line, at) => isWholeMail(line, at, lines));
  const attribution = kind === "new" ? undefined : findAttribution(lines);
  const starts = [forwardedAt, wholeAt, attribution?.at ?? -1].filter((at) => at !== -1);
  const start = Math.min(...starts, lines.length);
  if (attribution?.at === start) return splitBelow(lines, attribution);
  if (start < lines.length) {
    const quoted = lines.slice(start).join("\n").trim();
    const header = lines.slice(start).filter((line) => HEADER_FROM.test(bare(line)));
    return { own: ownText(lines.slice(0, start)), quoted, quotedFrom: header[0] ?? "", isInterleaved: false };
  }
  const quoteAt = kind === "new" ? -1 : lines.findIndex(isQuoted);
  if (quoteAt === -1) return { own: ownText(lines), isInterleaved: false };
  return splitBelow(lines, { at: quoteAt, end: quoteAt, text: "" });
}

interface Attribution {
  /** Its first line, and the one behind its last. */
  at: number;
  end: number;
  text: string;
}

/** The first attribution, on one line or wrapped over several. */
function findAttribution(lines: readonly string[]): Attribution | undefined {
  for (const [last, line] of lines.entries()) {
    if (!MAY_END_ATTRIBUTION.test(line)) continue;
    const isAboveQuote = isQuoted(lines.slice(last + 1, last + 3).find((next) => next.trim() !== "") ?? "");
    const texts = textsEndingAt(last, lines);
    const known =
      texts.find(({ text }) => /[\d@]/.test(text) && ATTRIBUTIONS.some((form) => form.test(text))) ??
      texts.find(
        ({ text }) => DATED.test(text) && (isAboveQuote || DATED_ATTRIBUTIONS.some((form) => form.test(text))),
      );
    if (known !== undefined) return known;
  }
  return undefined;
}

/** A line, and the same with one and two lines before it, up to an empty one. */
function textsEndingAt(last: number, lines: readonly string[]): Attribution[] {
  const texts: Attribution[] = [];
  for (let at = last; at > last - MAX_ATTRIBUTION_LINES && at >= 0; at--) {
    const part = bare(lines[at] ?? "");
    const text = [part, texts.at(-1)?.text ?? ""].filter((some) => some !== "").join(" ");
    if (part === "" || text.length > MAX_ATTRIBUTION_CHARS) break;
    texts.push({ at, end: last + 1, text });
  }
  return texts;
}

/** Splits at an attribution, or at the first quoted line: below it what is not quoted is the author's again. */
function splitBelow(lines: readonly string[], { at, end, text }: Attribution): SplitText {
  const below = lines.slice(end);
  const hasMarks = below.some(isQuoted);
  // Some programs mark nothing: then all below is the mail that is answered.
  const answers = hasMarks ? withoutQuotes(below) : [];
  const own = ownText([...lines.slice(0, at), ...(answers.length > 0 ? ["", ...answers] : [])]);
  const quoted = lines.slice(at).join("\n").trim();
  return { own, quoted, quotedFrom: text, isInterleaved: ownText(answers) !== "" };
}

/** The lines between quoted ones; runs of quoted lines become an empty line. */
function withoutQuotes(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (const line of lines) {
    if (!isQuoted(line)) kept.push(line);
    else if (kept.at(-1) !== "") kept.push("");
  }
  // A list's footer.
  const footer = kept.findLastIndex((line) => /^_{20,}$/.test(line.trim()));
  return footer === -1 ? kept : kept.slice(0, footer);
}

function isQuoted(line: string): boolean {
  return /^\s?[>＞]/.test(line);
}

/** Whether a line begins a mail that is repeated whole, without marks. */
function isWholeMail(line: string, at: number, lines: readonly string[]): boolean {
  const text = bare(line);
  if (SEPARATOR.test(text)) return true;
  if (!HEADER_FROM.test(text)) return false;
  const following = lines.slice(at + 1, at + 1 + HEADER_LINES).filter((next) => HEADER_MORE.test(bare(next)));
  return following.length >= 2;
}

/** A line without signs of quotes and of bold text. */
function bare(line: string): string {
  return line
    .slice(0, MAX_ATTRIBUTION_CHARS * 2)
    .replace(/^[\s>＞]+/, "")
    .replaceAll("*", "")
    .trim();
}

/** The words of an author, without a signature, lines of the program, and a separator at the end. */
function ownText(lines: readonly string[]): string {
  const kept = [...lines];
  const signature = kept.findLastIndex((line) => /^--\s*$/.test(line));
  if (signature !== -1 && kept.length - signature <= MAX_SIGNATURE_LINES) kept.length = signature;
  while (kept.length > 0 && isNoise(kept.at(-1) ?? "")) kept.pop();
  return kept
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function isNoise(line: string): boolean {
  const text = line.trim();
  return text === "" || /^[-_*—]{5,}$/.test(text) || SENT_FROM.test(text);
}
