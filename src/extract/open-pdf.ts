/** Opens a PDF with its own copy of the bytes; call `destroy` after use. @throws Error if it is damaged, or locked by a password */
export async function openPdf(bytes: Uint8Array) {
  const { getDocumentProxy } = await import("unpdf");
  // The reader takes over the buffer that it is given.
  return getDocumentProxy(bytes.slice()).catch((thrown: unknown) => {
    const isLocked = thrown instanceof Error && thrown.name === "PasswordException";
    throw new Error(isLocked ? "The PDF is locked with a password." : "The PDF is damaged.", { cause: thrown });
  });
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
