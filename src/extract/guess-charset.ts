import { lazy } from "../lib/lazy.ts";

/** The most bytes that are looked at, half from the beginning and half from the middle. */
const SAMPLE_BYTES = 32 * 1024;

/** Counts the characters that texts in an encoding have many of; a wrong encoding makes them by chance only. */
interface Candidate {
  encoding: string;
  typical(text: string): number;
}

// The characters that are used most.
const SIMPLIFIED =
  "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指";
const TRADITIONAL =
  "的一是不我有這個了人在中大為上來們到說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運";
const KOREAN =
  "이다는의에을가고하지한로를은도서기사나어리자그있인대아정시해라부스들수전일게제보으여과원주만장상구적와조성동소오우신선국용관면경치유공안무했미연위진생세문비내년거실계방물분중개역행식회체당단저모교업발민학더영것";

const KANA = matching(/[\u3041-\u3096\u30a1-\u30fc、。「」]/gu);

const candidates = lazy((): Candidate[] => [
  { encoding: "gb18030", typical: oneOf(`${SIMPLIFIED}，。、：“”`) },
  { encoding: "big5", typical: oneOf(`${TRADITIONAL}，。、：「」`) },
  { encoding: "shift_jis", typical: KANA },
  { encoding: "euc-jp", typical: KANA },
  { encoding: "euc-kr", typical: oneOf(KOREAN) },
  { encoding: "windows-1251", typical: oneOf("оеаинтсрвлкмі") },
  { encoding: "koi8-r", typical: oneOf("оеаинтсрвлкмі") },
  { encoding: "windows-1253", typical: oneOf("αοιετσνρκπηυάόίέή") },
  { encoding: "windows-1255", typical: oneOf("יוהלארתבשמןנ") },
  { encoding: "windows-1256", typical: oneOf("اليمونرتبهدعسكفقح") },
  { encoding: "windows-874", typical: oneOf("านรอกเงมยลวดทสต่้ิีั") },
  // Letters with accents stand beside others; alone they are another alphabet.
  { encoding: "windows-1250", typical: matching(/(?<=[a-z])[ąćęłńśźżčďěňřšťůžőű]|[ąćęłńśźżčďěňřšťůžőű](?=[a-z])/giu) },
  { encoding: "windows-1254", typical: matching(/(?<=[a-z])[ğış]|[ğış](?=[a-z])/giu) },
  { encoding: "windows-1252", typical: matching(/(?<=[a-z])[ß-öø-ÿœ]|[ß-öø-ÿœ](?=[a-z])|[’“”–—«»€©]/giu) },
]);

function oneOf(characters: string): Candidate["typical"] {
  const known = new Set(characters);
  return (text) => {
    let found = 0;
    for (const character of text) if (known.has(character)) found++;
    return found;
  };
}

function matching(pattern: RegExp): Candidate["typical"] {
  return (text) => (text.match(pattern) ?? []).join("").length;
}

/** Below this share of what is typical, nothing is known. */
const LEAST = 0.25;

/** The encoding that bytes outside of UTF-8 most likely have; windows-1252 if nothing speaks for another. */
export function guessCharset(bytes: Uint8Array): string {
  const middle = bytes.length >> 1;
  const half = SAMPLE_BYTES / 2;
  const samples =
    bytes.length <= SAMPLE_BYTES ? [bytes] : [bytes.subarray(0, half), bytes.subarray(middle, middle + half)];
  let best = { encoding: "windows-1252", share: LEAST };
  for (const { encoding, typical } of candidates()) {
    const text = samples.map((sample) => new TextDecoder(encoding).decode(sample)).join(" ");
    const share = typicalShare(text, typical);
    if (share > best.share) best = { encoding, share };
  }
  return best.encoding;
}

/** The share of typical characters among those outside of ASCII, less for those that no text has. */
function typicalShare(text: string, typical: Candidate["typical"]): number {
  const foreign = text.match(/\P{ASCII}/gu)?.length ?? 0;
  if (foreign === 0) return 0;
  const broken = text.match(/[\ufffd\ue000-\uf8ff\u0080-\u009f]/gu)?.length ?? 0;
  return (typical(text) - BROKEN_COSTS * broken) / foreign;
}

const BROKEN_COSTS = 3;
