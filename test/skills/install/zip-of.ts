import { zipSync } from "fflate";

const encoder = new TextEncoder();

/** A zip of text files, in base64. */
export function zipOf(files: Record<string, string>): string {
  const entries = Object.entries(files).map(([path, text]) => [path, encoder.encode(text)] as const);
  return btoa(String.fromCharCode(...zipSync(Object.fromEntries(entries))));
}
