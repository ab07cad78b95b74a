/** Whether a text is the id of one member: not `@all`, which is everyone, nor several with `|` between. */
export function isUserId(text: string): boolean {
  return /^[A-Za-z0-9][\w@.-]{0,63}$/.test(text);
}
