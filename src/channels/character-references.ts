/** The named references that people and models write in Markdown; any other stays as it is. */
const NAMED = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", "\u00a0"],
  ["copy", "©"],
  ["ndash", "–"],
  ["mdash", "—"],
  ["hellip", "…"],
  ["rarr", "→"],
]);

/** Turns character references (`&amp;`, `&#8212;`, `&#x2014;`) into the characters that they stand for. */
export function decodeReferences(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED.get(name) ?? whole;
    return characterOf(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)) ?? whole;
  });
}

function characterOf(codePoint: number): string | undefined {
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  return codePoint === 0 || codePoint > 0x10ffff || isSurrogate ? undefined : String.fromCodePoint(codePoint);
}
