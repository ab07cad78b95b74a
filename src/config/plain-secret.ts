/** Names of fields and headers that hold something secret. */
const SECRET_NAME =
  /(?:api[_-]?key|auth[_-]?key|token|secret|password|passwd|credentials?|private[_-]?key|encrypt[_-]?key|authorization|cookie)s?$/i;

/** How well-known secrets look, wherever they stand. */
const SECRET_SHAPES = [
  /^(?:sk|pk|rk)[-_][\w-]{16,}/,
  /^(?:xox[abeprs]|xapp)-/,
  /^(?:gh[opsu]_|github_pat_|glpat-|hf_|gsk_|nvapi-|whsec_|AIza|AKIA|ya29\.)[\w-]{8,}/,
  /^\d{6,12}:[\w-]{20,}$/,
  /^(?:Bearer|Basic)\s+\S/i,
  /^eyJ[\w-]{10,}\.[\w-]{10,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /^[a-z][a-z\d+.-]*:\/\/[^\s/@]+@/i,
  /^https?:\/\/\S*[?&](?:key|api_?key|token|secret|access_token)=/i,
];

/** Whether what has this name is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Whether a text looks like a secret, or like an address with one in it. */
export function looksSecret(text: string): boolean {
  return SECRET_SHAPES.some((shape) => shape.test(text));
}
