/** A text in any charset that a `TextDecoder` knows, with characters of one or two bytes. Throws for others. */
export function encode(text: string, charset: string): Uint8Array<ArrayBuffer> {
  const table = tableOf(charset);
  const bytes = [...text].flatMap((character) => {
    const known = table.get(character);
    if (known === undefined) throw new Error(`${charset} has no ${character}`);
    return known;
  });
  return new Uint8Array(bytes);
}

const tables = new Map<string, Map<string, number[]>>();

function tableOf(charset: string): Map<string, number[]> {
  const known = tables.get(charset);
  if (known !== undefined) return known;
  const table = new Map<string, number[]>();
  const decoder = new TextDecoder(charset);
  const add = (...bytes: number[]) => {
    const text = decoder.decode(new Uint8Array(bytes));
    if ([...text].length === 1 && text !== "\ufffd" && !table.has(text)) table.set(text, bytes);
  };
  for (let first = 0; first < 256; first++) add(first);
  for (let first = 0x81; first < 255; first++) for (let second = 0x40; second < 255; second++) add(first, second);
  tables.set(charset, table);
  return table;
}
