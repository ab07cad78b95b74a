import { describe, expect, test } from "vitest";
import { decodeBytes } from "../../src/extract/decode-bytes.ts";
import { encode } from "./encode.ts";

const CHINESE = "港口管理员在早晨数了四十盏灯笼，然后把数目写进了门边的本子里，这是房子建成以来每天都要做的事情。";
const TAIWANESE = "港口的管理員在早上數了四十盞燈籠，然後把數目寫在門邊的本子裡，這是房子蓋好以來每天都要做的事。";
const JAPANESE =
  "港の番人は朝までに四十のランタンを数えて、扉のそばにある本に書きました。これは家が建ってから毎日のことです。";
const KOREAN =
  "항구의 관리인은 아침이 되기 전에 등불을 마흔 개 세고 문 옆에 있는 책에 적었습니다. 집이 지어진 뒤로 매일 하는 일입니다.";
const RUSSIAN = "Смотритель гавани сосчитал до утра сорок фонарей и записал это в книгу, которая лежит у двери.";
const GREEK =
  "Ο φύλακας του λιμανιού μέτρησε σαράντα φανάρια πριν από το πρωί και το έγραψε στο βιβλίο δίπλα στην πόρτα.";
const HEBREW = "שומר הנמל ספר ארבעים פנסים לפני הבוקר וכתב זאת בספר שליד הדלת";
const ARABIC = "عد حارس الميناء أربعين فانوسا قبل الصباح وكتب ذلك في الكتاب الذي بجانب الباب";
const THAI = "ผู้ดูแลท่าเรือนับโคมไฟสี่สิบดวงก่อนรุ่งเช้าและเขียนไว้ในสมุดข้างประตู";
const POLISH = "Strażnik portu policzył czterdzieści latarń przed świtem i zapisał to w księdze leżącej przy drzwiach.";
const GERMAN =
  "Der Wärter zählte vor der Frühe vierzig Laternen; er schrieb es ins Buch „an der Tür“ – größer als üblich.";

function page(text: string, head = ""): string {
  return `<html><head>${head}<title>x</title></head><body><p class="a">${text}</p></body></html>`;
}

describe("a text that does not say its charset is guessed", () => {
  test.each([
    ["gb18030", CHINESE],
    ["big5", TAIWANESE],
    ["shift_jis", JAPANESE],
    ["euc-jp", JAPANESE],
    ["euc-kr", KOREAN],
    ["windows-1251", RUSSIAN],
    ["koi8-r", RUSSIAN],
    ["windows-1253", GREEK],
    ["windows-1255", HEBREW],
    ["windows-1256", ARABIC],
    ["windows-874", THAI],
    ["windows-1250", POLISH],
    ["windows-1252", GERMAN],
  ])("%s", (charset, text) => {
    expect(decodeBytes(encode(page(text), charset), undefined)).toEqual({ charset, text: page(text) });
  });

  test("utf-8", () => {
    for (const text of [CHINESE, RUSSIAN, "plain"]) {
      expect(decodeBytes(new TextEncoder().encode(page(text)), undefined)).toEqual({
        charset: "utf-8",
        text: page(text),
      });
    }
  });
});

test("a byte order mark goes before the header, the header before the page's own word, and that before a guess", () => {
  const utf8 = new TextEncoder().encode(`\ufeff${page(CHINESE)}`);
  expect(decodeBytes(utf8, "gbk")).toEqual({ charset: "utf-8", text: page(CHINESE) });
  const utf16 = new Uint8Array(new Uint16Array([0xfeff, ...[...page(RUSSIAN)].map((one) => one.charCodeAt(0))]).buffer);
  expect(decodeBytes(utf16, undefined)).toEqual({ charset: "utf-16le", text: page(RUSSIAN) });
  const short = page("Ночь", '<meta charset="koi8-r">');
  expect(decodeBytes(encode(short, "windows-1251"), "windows-1251").text).toBe(short);
  expect(decodeBytes(encode(short, "koi8-r"), undefined).text).toBe(short);
  const old = page("Ночь", '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">');
  expect(decodeBytes(encode(old, "windows-1251"), undefined).text).toBe(old);
  const xml = '<?xml version="1.0" encoding="windows-1251"?><feed><title>Ночь</title></feed>';
  expect(decodeBytes(encode(xml, "windows-1251"), undefined).text).toBe(xml);
});

test("a charset that is not known, or that the bytes contradict, does not count", () => {
  const bytes = encode(page(CHINESE.repeat(3)), "gb18030");
  expect(decodeBytes(bytes, "utf-8").charset).toBe("gb18030");
  expect(decodeBytes(bytes, "x-none").charset).toBe("gb18030");
  const slip = Uint8Array.from([...new TextEncoder().encode(page(RUSSIAN.repeat(30))), 0xff]);
  expect(decodeBytes(slip, "utf-8")).toMatchObject({ charset: "utf-8", text: expect.stringContaining(RUSSIAN) });
});
