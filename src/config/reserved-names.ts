/** Beginnings of the names of variables by which the Worker and its account are run. */
const OWN_PREFIXES = ["ISOPOD_", "CLOUDFLARE_", "CF_", "WRANGLER_"];

/** The keys that hosted providers of models and embeddings are asked with where nothing is configured: they are the agents' own. */
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

/** Whether a variable of the Worker is kept for the Worker itself: no skill is given it, or told whether it is there. */
export function isReservedName(name: string): boolean {
  return OWN_PREFIXES.some((prefix) => name.startsWith(prefix)) || MODEL_KEYS.includes(name);
}

/** Beginnings of variables that programs load code by, or that say where requests go. */
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

/** Whether a variable would change the shell itself rather than tell a command something. */
export function isShellVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return SHELL_NAMES.has(upper) || SHELL_PREFIXES.some((prefix) => upper.startsWith(prefix));
}
