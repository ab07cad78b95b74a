import { crc32 } from "node:zlib";
import { gzipSync, zipSync } from "fflate";
import { packTar, type TarEntry } from "modern-tar";

const encoder = new TextEncoder();

/** An entry of a zip as it is written down here, with what may be made to lie. */
export interface RawEntry {
  name: string | Uint8Array;
  data?: Uint8Array;
  method?: number;
  flags?: number;
  /** What the directory says, where that is not the truth. */
  crc?: number;
  size?: number;
  packedSize?: number;
  /** The entry's own header, where that is another. */
  localName?: string;
  localSize?: number;
  unixMode?: number;
  offset?: number;
  /** Written behind the data. */
  behind?: Uint8Array;
  /** Of the data unfolded, where `data` is folded. */
  plain?: Uint8Array;
}

/** A zip, byte by byte. */
export function rawZip(
  entries: readonly RawEntry[],
  more: { before?: Uint8Array; after?: Uint8Array; count?: number } = {},
) {
  const parts: Uint8Array[] = [more.before ?? new Uint8Array()];
  const central: Uint8Array[] = [];
  let at = parts[0]!.length;
  for (const entry of entries) {
    const data = entry.data ?? new Uint8Array();
    const plain = entry.plain ?? data;
    const name = typeof entry.name === "string" ? encoder.encode(entry.name) : entry.name;
    const localName = entry.localName === undefined ? name : encoder.encode(entry.localName);
    const crc = entry.crc ?? crc32(plain);
    const size = entry.size ?? plain.length;
    const packedSize = entry.packedSize ?? data.length;
    const local = numbers([
      [4, 0x04034b50],
      [2, 20],
      [2, entry.flags ?? 0],
      [2, entry.method ?? 0],
      [4, 0],
      [4, crc],
      [4, packedSize],
      [4, entry.localSize ?? size],
      [2, localName.length],
      [2, 0],
    ]);
    central.push(
      numbers([
        [4, 0x02014b50],
        [2, (3 << 8) | 20],
        [2, 20],
        [2, entry.flags ?? 0],
        [2, entry.method ?? 0],
        [4, 0],
        [4, crc],
        [4, packedSize],
        [4, size],
        [2, name.length],
        [2, 0],
        [2, 0],
        [2, 0],
        [2, 0],
        [4, ((entry.unixMode ?? 0) << 16) >>> 0],
        [4, entry.offset ?? at],
      ]),
      name,
    );
    const written = [local, localName, data, entry.behind ?? new Uint8Array()];
    parts.push(...written);
    at += written.reduce((sum, { length }) => sum + length, 0);
  }
  const directory = joined(central);
  const count = more.count ?? entries.length;
  const end = numbers([
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, directory.length],
    [4, at],
    [2, 0],
  ]);
  return joined([...parts, directory, end, more.after ?? new Uint8Array()]);
}

/** A zip as programs make them. */
export function zipOf(files: Record<string, string | Uint8Array>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, bytesOf(text)]))),
  );
}

/** A `.tar.gz` as programs make them. */
export async function tarGzOf(
  files: Record<string, string | Uint8Array>,
  more: readonly TarEntry[] = [],
): Promise<Uint8Array<ArrayBuffer>> {
  const entries = Object.entries(files).map(([name, text]) => {
    const body = bytesOf(text);
    return { header: { name, size: body.length, type: "file" as const }, body };
  });
  return new Uint8Array(gzipSync(await packTar([...entries, ...more])));
}

/** A SKILL.md. */
export function skillText(name: string, text = "Do it."): string {
  return `---\nname: ${name}\ndescription: What ${name} does.\n---\n${text}\n`;
}

export function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? encoder.encode(text) : text;
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function numbers(fields: readonly (readonly [bytes: number, value: number])[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [bytes]) => sum + bytes, 0)));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  return new Uint8Array(view.buffer);
}
