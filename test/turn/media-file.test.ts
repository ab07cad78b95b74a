import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { mediaFile } from "../../src/turn/media-file.ts";
import { pdfFile } from "../extract/pdf-file.ts";
import { wavFile } from "../fakes/media-bytes.ts";

const text = (words: string) => new TextEncoder().encode(words);

/** A PDF that opens without a password and is encrypted all the same: the standard handler, 40 bits, no user password. */
function lockedForEditing(): Uint8Array {
  const pad = Buffer.from("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a", "hex");
  const owner = Buffer.alloc(32, 7);
  const rights = Buffer.from([0xfc, 0xff, 0xff, 0xff]);
  const key = createHash("md5").update(pad).update(owner).update(rights).digest().subarray(0, 5);
  const dictionary = `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${owner.toString("hex")}> /U <${rc4(key, pad).toString("hex")}> >>`;
  return text(new TextDecoder().decode(pdfFile(["Secret."])).replace("/Root", `/Encrypt ${dictionary} /Root`));
}

function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, n) => n);
  const swap = (a: number, b: number) => {
    [state[a], state[b]] = [state[b]!, state[a]!];
  };
  let [i, j] = [0, 0];
  for (; i < 256; i++) {
    j = (j + state[i]! + key[i % key.length]!) & 255;
    swap(i, j);
  }
  i = 0;
  j = 0;
  return data.map((byte) => {
    i = (i + 1) & 255;
    j = (j + state[i]!) & 255;
    swap(i, j);
    return byte ^ state[(state[i]! + state[j]!) & 255]!;
  }) as Buffer;
}

test("a PDF is taken with the number of its pages, whatever the platform calls it", async () => {
  const bytes = pdfFile(["One.", "Two."]);
  const file = await mediaFile({ path: "inbox/report.bin", bytes, mediaType: "application/octet-stream" });
  expect(file).toEqual({ path: "inbox/report.bin", mediaType: "application/pdf", bytes: bytes.length, pages: 2 });
  expect(bytes.length).toBeGreaterThan(0);
});

test("a PDF that is damaged, too long or encrypted is not taken", async () => {
  const pdfs = [text("%PDF-1.7 nothing more"), pdfFile(Array(101).fill("A page.")), lockedForEditing()];
  for (const bytes of pdfs) {
    expect(await mediaFile({ path: "a.pdf", bytes, mediaType: "application/pdf" })).toBeUndefined();
  }
});

test("an MP3 and a WAV are taken with their length, other audio and what only looks like it are not", async () => {
  const wav = wavFile(3);
  expect(await mediaFile({ path: "a.wav", bytes: wav, mediaType: undefined })).toMatchObject({
    mediaType: "audio/wav",
    seconds: 4,
  });
  const mp3 = { path: "a.mp3", bytes: text(`ID3${"x".repeat(9000)}`), mediaType: "audio/mp3" };
  expect(await mediaFile(mp3)).toMatchObject({ mediaType: "audio/mpeg", seconds: 3 });
  expect(await mediaFile({ ...mp3, seconds: 2, isVoice: true })).toMatchObject({ seconds: 2, isVoice: true });
  expect(await mediaFile({ path: "a.ogg", bytes: text("OggS"), mediaType: "audio/ogg" })).toBeUndefined();
  const utf16 = new Uint8Array([0xff, 0xfe, 0x41, 0]);
  expect(await mediaFile({ path: "a.txt", bytes: utf16, mediaType: "text/plain" })).toBeUndefined();
});

test("a length that a file or a platform claims is within what so many bytes can hold", async () => {
  const slow = wavFile(3);
  new DataView(slow.buffer, slow.byteOffset).setUint32(28, 1, true);
  const claimed = await mediaFile({ path: "a.wav", bytes: slow, mediaType: undefined });
  expect(claimed?.seconds).toBeLessThanOrEqual(slow.length / 4_000 + 1);
  const told = await mediaFile({ path: "a.wav", bytes: slow, mediaType: undefined, seconds: 1_000_000 });
  expect(told?.seconds).toBeLessThanOrEqual(slow.length / 500 + 1);
});
