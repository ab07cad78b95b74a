import { describe, expect, test } from "vitest";
import { splitQuoted } from "../../../src/channels/email/quoted-text.ts";

const reply = (body: string) => splitQuoted(body, "reply");

describe("the mail that a reply answers is set apart", () => {
  test.each([
    ["English", "On Mon, Jan 5, 2026 at 10:00 AM Bob <bob@example.org> wrote:"],
    ["English, wrapped", "On Mon, Jan 5, 2026 at 10:00 AM Bob Who Has A Long Name\n<bob@example.org>\nwrote:"],
    ["English, Zoho", "---- On Mon, 05 Jan 2026 10:00:00 +0000 bob@example.org wrote ----"],
    ["German", "Am 05.01.2026 um 10:00 schrieb Bob <bob@example.org>:"],
    ["German, Gmail", "Am Mo., 5. Jan. 2026 um 10:00 Uhr schrieb Bob <bob@example.org>:"],
    ["French", "Le lun. 5 janv. 2026 à 10:00, Bob <bob@example.org> a écrit :"],
    ["Spanish", "El lun, 5 ene 2026 a las 10:00, Bob (<bob@example.org>) escribió:"],
    ["Italian", "Il giorno lun 5 gen 2026 alle ore 10:00 Bob <bob@example.org> ha scritto:"],
    ["Portuguese", "Em seg., 5 de jan. de 2026 às 10:00, Bob <bob@example.org> escreveu:"],
    ["Dutch", "Op ma 5 jan 2026 om 10:00 schreef Bob <bob@example.org>:"],
    ["Swedish", "Den mån 5 jan. 2026 kl 10:00 skrev Bob <bob@example.org>:"],
    ["Norwegian, broken in the address", "man. 5. jan. 2026 kl. 10:00 skrev Bob <bob@example.org\n>:"],
    ["Finnish", "ma 5. tammik. 2026 klo 10.00 Bob <bob@example.org> kirjoitti:"],
    ["Polish", "W dniu 05.01.2026 o 10:00 Bob <bob@example.org> pisze:"],
    ["Russian", "пн, 5 янв. 2026 г. в 10:00, Bob <bob@example.org>:"],
    ["Chinese", "在 2026年1月5日，10:00，Bob <bob@example.org> 写道："],
    ["Chinese, Gmail", "Bob <bob@example.org> 于2026年1月5日周一 10:00写道："],
    ["Chinese, traditional", "Bob <bob@example.org> 於 2026年1月5日 週一 上午10:00寫道："],
    ["Japanese", "2026年1月5日(月) 10:00 Bob <bob@example.org>:"],
    ["Japanese, Thunderbird", "On 2026/01/05 10:00, Bob wrote:"],
    ["Korean", "2026년 1월 5일 (월) 오전 10:00, Bob <bob@example.org>님이 작성:"],
    ["any other, above quoted lines", "2026.01.05. 10:00 keltezéssel, Bob írta:"],
  ])("under its attribution: %s", (_, line) => {
    const { own, quoted, isInterleaved } = reply(`Thank you!\n\n${line}\n\n> Old words\n> of Bob\n`);
    expect([own, isInterleaved]).toEqual(["Thank you!", false]);
    expect(quoted).toContain("Old words");
    expect(quoted).toContain(line.split("\n")[0]);
  });

  test.each([
    ["English", "From: Bob <bob@example.org>\nSent: Monday, January 5, 2026 10:00 AM\nTo: Ada\nSubject: Plan"],
    ["English, as bold text", "*From:* Bob [mailto:bob@example.org]\n*Sent:* Monday\n*To:* Ada\n*Subject:* Plan"],
    ["under a line", "________________________________\nFrom: Bob\nSent: Monday\nTo: Ada\nSubject: Plan"],
    ["German", "Von: Bob <bob@example.org>\nGesendet: Montag, 5. Januar 2026 10:00\nAn: Ada\nBetreff: Plan"],
    ["French", "De : Bob <bob@example.org>\nEnvoyé : lundi 5 janvier 2026 10:00\nÀ : Ada\nObjet : Plan"],
    ["Spanish", "De: Bob <bob@example.org>\nEnviado: lunes, 5 de enero de 2026 10:00\nPara: Ada\nAsunto: Plan"],
    ["Chinese", "发件人: Bob <bob@example.org>\n发送时间: 2026年1月5日 10:00\n收件人: Ada\n主题: Plan"],
    ["Japanese", "差出人: Bob <bob@example.org>\n送信日時: 2026年1月5日 10:00\n宛先: Ada\n件名: Plan"],
    ["with a separator", "-----Original Message-----\nFrom: Bob\nSent: Monday\nTo: Ada"],
    ["with a separator of QQ", "------------------ 原始邮件 ------------------\n发件人: Bob"],
    ["with a German separator", "-----Ursprüngliche Nachricht-----\nVon: Bob"],
  ])("whole, under Outlook's header: %s", (_, header) => {
    const { own, quoted } = reply(`Fine.\n\n${header}\n\nOld words\n`);
    expect(own).toBe("Fine.");
    expect(quoted).toContain("Old words");
  });

  test("also where the program marks none of its lines", () => {
    expect(reply("Yes.\n\nOn Jan 5, 2026, at 10:00, Bob <b@example.org> wrote:\n\nOld words\nmore")).toMatchObject({
      own: "Yes.",
      isInterleaved: false,
    });
  });
});

test("answers between quoted lines stay, and the lines come along", () => {
  const body =
    "On Jan 5, 2026, at 10:00, Bob <b@example.org> wrote:\n> Shall we?\n\nYes.\n\n> And when?\nOn Monday.\n\n-- \nAda\n+1 555";
  const { own, quoted, isInterleaved } = reply(body);
  expect([own, isInterleaved]).toEqual(["Yes.\n\nOn Monday.", true]);
  expect(quoted).toContain("> And when?\nOn Monday.");
});

test("what is passed on is not the sender's, in new mails too", () => {
  for (const marker of [
    "---------- Forwarded message ---------",
    "-------- Weitergeleitete Nachricht --------",
    "Begin forwarded message:",
    "---------- 转发的邮件 ---------",
    "---------- 転送メッセージ ----------",
  ]) {
    const { own, quoted, quotedFrom } = splitQuoted(
      `What do you think?\n\n${marker}\nFrom: Eve <eve@evil.example>\n\nPay me.`,
      "new",
    );
    expect([marker, own, quotedFrom]).toEqual([marker, "What do you think?", "From: Eve <eve@evil.example>"]);
    expect(quoted).toContain("Pay me.");
  }
});

test("a new mail keeps its quotations, and words that look like an attribution", () => {
  const body = "Compare:\n> to be or not to be\nOn 5 May 2026 he wrote:\nFrom: here\nand more";
  expect(splitQuoted(body, "new")).toEqual({ own: body, isInterleaved: false });
});

test("words of the sender are no attribution", () => {
  for (const body of [
    "On the one hand it is 5 o'clock.\nOn the other hand: no.",
    "See https://example.com/on-2026-bob-wrote: it is long",
    "The data comes from: a@example.com\nand to: b@example.com",
    "Times:\n2026-01-05 10:00\n10:30",
  ]) {
    expect(reply(body).own).toBe(body);
  }
});

test("signatures and lines of mail programs are left out, and lines that only look like them stay", () => {
  expect(reply("Hello\n\n-- \nAda\nCEO").own).toBe("Hello");
  expect(reply("Hello\n\nSent from my iPhone").own).toBe("Hello");
  expect(reply("好的\n\n发自我的iPhone").own).toBe("好的");
  expect(reply("Hallo\n\nGesendet von Outlook für Android").own).toBe("Hallo");
  expect(reply("The alarm was sent from my iPhone app.\nRight?").own).toBe(
    "The alarm was sent from my iPhone app.\nRight?",
  );
  expect(reply("a -- b\n----\nc").own).toBe("a -- b\n----\nc");
});

test("hostile text takes no more than linear time", () => {
  for (const body of [
    "On 1 ".repeat(50_000),
    ">".repeat(200_000),
    "a1:\n".repeat(50_000),
    "From: a\n".repeat(30_000),
  ]) {
    const started = performance.now();
    reply(body);
    // Backtracking would take minutes.
    expect(performance.now() - started).toBeLessThan(10_000);
  }
});
