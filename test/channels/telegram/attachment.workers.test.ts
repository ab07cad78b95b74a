import { expect, test } from "vitest";
import type { Attachment } from "../../../src/channels/channel.ts";
import { telegram } from "../../../src/channels/telegram/telegram.ts";
import { makeBot, type TestBot } from "./test-bot.ts";

async function contents(attachment: Attachment | undefined, bot: TestBot): Promise<string> {
  if (attachment === undefined || !("reference" in attachment)) throw new Error("expected a reference");
  const bytes = await telegram.openAttachment!(attachment.reference, bot.context, new AbortController().signal);
  return new Response(bytes).text();
}

async function filesOf(bot: TestBot, media: Record<string, unknown>) {
  const message = {
    message_id: 42,
    date: 1,
    from: { id: 7, is_bot: false, first_name: "A" },
    chat: { id: 7, type: "private" },
  };
  const received = await telegram.receive(bot.update({ update_id: 1, message: { ...message, ...media } }), bot.context);
  const [event] = received.kind === "events" ? received.events : [];
  if (event?.kind !== "message") throw new Error("expected a message");
  return event.attachments;
}

test("Telegram attachments have name, media type and size as far as Telegram gives them", async () => {
  const bot = makeBot();
  const file = { file_id: "f1", file_unique_id: "u1" };
  const kinds: [Record<string, unknown>, { name: string; mediaType: string; size?: number }][] = [
    [
      { document: { ...file, file_name: "report.pdf", mime_type: "application/pdf", file_size: 9 } },
      { name: "report.pdf", mediaType: "application/pdf", size: 9 },
    ],
    [{ document: file }, { name: "document-42", mediaType: "application/octet-stream" }],
    [{ voice: { ...file, mime_type: "audio/ogg", duration: 3 } }, { name: "voice-42.ogg", mediaType: "audio/ogg" }],
    [
      { audio: { ...file, file_name: "song.flac", mime_type: "audio/flac" } },
      { name: "song.flac", mediaType: "audio/flac" },
    ],
    [{ video: file }, { name: "video-42.mp4", mediaType: "video/mp4" }],
    [{ video_note: file }, { name: "video-note-42.mp4", mediaType: "video/mp4" }],
    [
      { animation: file, document: file },
      { name: "animation-42.mp4", mediaType: "video/mp4" },
    ],
  ];
  for (const [media, expected] of kinds) {
    const files = await filesOf(bot, media);
    expect(
      files.map(({ name, mediaType, size }) => ({ name, mediaType, ...(size !== undefined && { size }) })),
    ).toEqual([expected]);
  }
});

test("a Telegram voice note is the sender's own words unless it was passed on", async () => {
  const bot = makeBot();
  const voice = { file_id: "f1", file_unique_id: "u1", mime_type: "audio/ogg", duration: 3 };
  const origin = { type: "hidden_user", sender_user_name: "Bob", date: 1 };
  expect(await filesOf(bot, { voice })).toMatchObject([{ seconds: 3, isVoice: true }]);
  const [passedOn] = await filesOf(bot, { voice, forward_origin: origin });
  expect(passedOn).toMatchObject({ seconds: 3 });
  expect(passedOn).not.toHaveProperty("isVoice");
});

test("the largest size of a Telegram photo is attached", async () => {
  const size = (file_id: string, width: number, file_size: number) => ({
    file_id,
    file_unique_id: file_id,
    width,
    height: width,
    file_size,
  });
  const bot = makeBot();
  const [photo, ...others] = await filesOf(bot, { photo: [size("s", 90, 1), size("m", 320, 2), size("l", 800, 3)] });
  expect(others).toEqual([]);
  expect(photo).toMatchObject({ name: "photo-42.jpg", mediaType: "image/jpeg", size: 3 });
  expect(await contents(photo, bot)).toBe("contents of files/l");
});

test("path separators in a Telegram file's name are replaced", async () => {
  const bot = makeBot();
  const names = new Map([
    ["../../etc/passwd", "_.._etc_passwd"],
    ["a\u202egpj.exe", "a_gpj.exe"],
    ["..", "document-42"],
  ]);
  for (const [given, safe] of names) {
    const [file] = await filesOf(bot, { document: { file_id: "f", file_unique_id: "f", file_name: given } });
    expect(file?.name).toBe(safe);
  }
});

test("a Telegram file is requested only when it is opened", async () => {
  const bot = makeBot();
  const [file] = await filesOf(bot, { document: { file_id: "f9", file_unique_id: "f" } });
  expect(await bot.calls()).toEqual([]);
  expect(await contents(file, bot)).toBe("contents of files/f9");
  expect(await bot.calls()).toEqual([{ method: "getFile", args: { file_id: "f9" } }]);
});

test("a failed Telegram download gives its reason and never the token", async () => {
  const bot = makeBot();
  const [file] = await filesOf(bot, { document: { file_id: "f9", file_unique_id: "f" } });
  const tooBig = { ok: false, error_code: 400, description: "Bad Request: file is too big" };
  await bot.script({ method: "getFile", status: 400, body: tooBig });
  await expect(contents(file, bot)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("file is too big"),
  });
  await bot.script({ method: "getFile", body: { ok: true, result: { file_id: "f9", file_path: "../nowhere" } } });
  const failure = await contents(file, bot).then(() => "opened", String);
  expect(failure).toContain("404");
  expect(failure).not.toContain(bot.token);
  bot.context.fetch = () => Promise.reject(new Error(`cannot reach https://api/file/bot${bot.token}/x`));
  expect(await contents(file, bot).then(() => "opened", String)).not.toContain(bot.token);
});
