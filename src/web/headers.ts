const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types dompurify",
].join("; ");

/** The page's `_headers` file, in the format of Workers static assets: a file with a hash in its name never changes. */
export const HEADERS = `/*
  Content-Security-Policy: ${POLICY}
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
  Cross-Origin-Opener-Policy: same-origin
  Permissions-Policy: camera=(), geolocation=(), microphone=()

/app.*
  Cache-Control: public, max-age=31536000, immutable

/style.*
  Cache-Control: public, max-age=31536000, immutable

/docs.css
  Cache-Control: public, max-age=300

/icon.*
  Cache-Control: public, max-age=31536000, immutable
`;
