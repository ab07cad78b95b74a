/**
 * Characters that look like a Latin letter and that compatibility decomposition (NFKD) does not map to it: small
 * capitals, Greek, Cyrillic, Armenian, Cherokee, Coptic and Lisu letters. Chosen from Unicode's confusables (UTS #39)
 * by shape.
 */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: "ᴀɑαаΑАᎪꓮⲀⲁ",
  b: "ʙвЬьВΒᏴꓐⲂ",
  c: "ᴄсϲСϹᏟꓚⲤⲥ",
  d: "ᴅԁɗđĐᎠꓓԀ",
  e: "ᴇеєҽɛεΕЕЄᎬꓰⲈⲉℯ℮ɇ",
  f: "ꜰϝғƒꓝ",
  g: "ɢɡցԍᏀꓖ",
  h: "ʜнһհΗНᎻꓧⲎ",
  i: "ɪіιıɩΙІᎥӀⲒ",
  j: "ᴊјϳЈᎫꓙ",
  k: "ᴋкκΚКᏦꓗⲔ",
  l: "ʟӏłŁԼᏞꓡⳐ",
  m: "ᴍмΜМᎷꓟⲘ",
  n: "ɴողηпΝиꓠⲚ",
  o: "ᴏоοօσøØΟОՕഠꓳⲞⲟ",
  p: "ᴘрρΡРᏢꓑⲢⲣ",
  q: "ԛգʠԚ",
  r: "ʀгᴦᎡᏒꓣ",
  s: "ꜱѕʂЅՏᏚꓢ",
  t: "ᴛтτŧŦΤТᎢꓔⲦ",
  u: "ᴜυսʋՍꓴ",
  v: "ᴠνѵᏙꓦ",
  w: "ᴡԝѡաᏔꓪ",
  x: "хχΧХ×ꓫⲬⲭ",
  y: "ʏуγүΥУҮꓬ",
  z: "ᴢζΖᏃꓜ",
};

const LATIN: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([latin, others]) =>
    [...others].map((other): [string, string] => [other, latin]),
  ),
);

/** White letters on a black disc or square, and regional indicators. */
const FIRST_OF_DRAWN_ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6];

const MARKS = /\p{M}/gu;

/** The lower-case Latin letter that a character looks like, or the character itself. */
export function latinLookAlike(character: string): string {
  return LATIN.get(character) ?? drawnLetter(character.codePointAt(0) ?? 0) ?? character;
}

/** One character as plain lower-case text: without style, width, accents, and in Latin if it looks Latin. */
export function plainLetters(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x80) return character.toLowerCase();
  const known = latinLookAlike(character);
  if (known !== character) return known;
  return [...character.normalize("NFKD").replace(MARKS, "")].map(latinLookAlike).join("").toLowerCase();
}

function drawnLetter(code: number): string | undefined {
  const first = FIRST_OF_DRAWN_ALPHABETS.find((start) => code >= start && code < start + 26);
  return first === undefined ? undefined : String.fromCharCode(0x61 + code - first);
}
