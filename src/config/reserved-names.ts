/** Prefixes of variables that run the Worker and its account. */
const OWN_PREFIXES = ["ISOPOD_", "CLOUDFLARE_", "CF_", "WRANGLER_"];

/** Default variables of the keys of hosted providers. */
const MODEL_KEYS = [
  "ANTHROPIC_API_KEY",
  "DEEPSEEK_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "GROQ_API_KEY",
  "MISTRAL_API_KEY",
  "MOONSHOT_API_KEY",
  "OPENAI_API_KEY",
  "OPENROUTER_API_KEY",
  "VOYAGE_API_KEY",
  "XAI_API_KEY",
  "ZAI_API_KEY",
];

/** Whether a variable is reserved for the Worker: no skill receives it or learns whether it exists. */
export function isReservedName(name: string): boolean {
  return OWN_PREFIXES.some((prefix) => name.startsWith(prefix)) || MODEL_KEYS.includes(name);
}

/** Prefixes of variables by which programs load code or choose where requests go. */
const SHELL_PREFIXES = ["BASH_", "LD_", "DYLD_", "NPM_CONFIG_", "PERL5"];

/** Variables that change the shell, what it starts, or where its requests go. */
const SHELL_NAMES = new Set([
  "ALL_PROXY",
  "CDPATH",
  "COLUMNS",
  "CURL_CA_BUNDLE",
  "CURL_HOME",
  "EDITOR",
  "ENV",
  "EUID",
  "FTP_PROXY",
  "GCONV_PATH",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "GLOBIGNORE",
  "HISTFILE",
  "HOME",
  "HOSTNAME",
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "IFS",
  "JAVA_TOOL_OPTIONS",
  "LINES",
  "LOGNAME",
  "NODE_OPTIONS",
  "NODE_PATH",
  "NO_PROXY",
  "OLDPWD",
  "OPTARG",
  "OPTERR",
  "OPTIND",
  "PAGER",
  "PATH",
  "PPID",
  "PROMPT_COMMAND",
  "PS0",
  "PS1",
  "PS2",
  "PS4",
  "PWD",
  "PYTHONHOME",
  "PYTHONPATH",
  "PYTHONSTARTUP",
  "RANDOM",
  "REPLY",
  "RUBYLIB",
  "RUBYOPT",
  "SECONDS",
  "SHELL",
  "SHELLOPTS",
  "SHLVL",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
  "TERM",
  "TMPDIR",
  "UID",
  "USER",
  "VISUAL",
]);

/** Whether a variable would change the shell itself. */
export function isShellVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return SHELL_NAMES.has(upper) || SHELL_PREFIXES.some((prefix) => upper.startsWith(prefix));
}
