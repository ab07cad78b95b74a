/** Most objects of a PDF that is opened: the reader keeps an entry for each that the file claims to have. */
const MAX_OBJECTS = 100_000;
/** The file is searched in pieces, which overlap by more than what is looked for. */
const PIECE_BYTES = 1024 * 1024;
const OVERLAP_BYTES = 256;

/** Opens a PDF with its own copy of the bytes; call `destroy` after use. @throws Error if it is damaged, or locked by a password */
export async function openPdf(bytes: Uint8Array) {
  if (claimedObjects(bytes) > MAX_OBJECTS) throw new Error("The PDF has too many objects.");
  const { getDocumentProxy } = await import("unpdf");
  // The reader takes over the buffer that it is given.
  return getDocumentProxy(bytes.slice()).catch((thrown: unknown) => {
    const isLocked = thrown instanceof Error && thrown.name === "PasswordException";
    throw new Error(isLocked ? "The PDF is locked with a password." : "The PDF is damaged.", { cause: thrown });
  });
}

/** The most objects that a PDF's tables of objects claim: those may be a few bytes, which no table is too small for. */
function claimedObjects(bytes: Uint8Array): number {
  const decoder = new TextDecoder("latin1");
  let most = 0;
  for (let at = 0; at < bytes.length; at += PIECE_BYTES - OVERLAP_BYTES) {
    const piece = decoder.decode(bytes.subarray(at, at + PIECE_BYTES));
    // Letters of names may be written by their numbers.
    const text = piece.replace(/#([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    for (const [, size = "", index = ""] of text.matchAll(/\/Size[\s\0]*(\d+)|\/Index[\s\0]*\[([\d\s\0]{0,200})/g)) {
      most = Math.max(most, ...(`${size} ${index}`.match(/\d+/g)?.map(Number) ?? []));
    }
  }
  return most;
}

/** The number of pages, and whether the PDF is encrypted, be it without a password. @throws Error if it cannot be opened */
export async function pdfFacts(bytes: Uint8Array): Promise<{ pages: number; isEncrypted: boolean }> {
  const pdf = await openPdf(bytes);
  try {
    const { info } = await pdf.getMetadata();
    const isEncrypted = "EncryptFilterName" in info && info.EncryptFilterName != null;
    return { pages: pdf.numPages, isEncrypted };
  } finally {
    await pdf.destroy();
  }
}
