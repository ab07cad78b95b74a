/** Root files that are in the prompt of every conversation, in lower case. */
const SHOWN_TO_ALL = /^(?:agents|soul|tools|identity)\.md$/;

/** Whether a file is the owner's own: all files but those that every conversation's prompt shows, and skills. */
export function isPrivatePath(path: string): boolean {
  const plain = path
    .normalize("NFKC")
    .toLowerCase()
    .replace(/^(?:\.?\/)+|^\/workspace\//, "");
  return !SHOWN_TO_ALL.test(plain) && !plain.startsWith("skills/") && !/^\w+:\/\//.test(plain);
}
