/** The sources of skills, strongest first: of two skills with one name, the stronger one is used. */
export const SKILL_SOURCES = ["workspace", "agents", "managed", "bundled", "extra", "plugin"] as const;

export type SkillSource = (typeof SKILL_SOURCES)[number];

/** A parsed skill, whether or not it may be used. Plain data: it is stored as JSON. */
export interface Skill {
  /** Its display name; unique among the skills of one agent. */
  name: string;
  description: string;
  source: SkillSource;
  /**
   * The address of its SKILL.md for the tool `read`: `skills/weather/SKILL.md`, `skills://managed/weather/SKILL.md`.
   */
  location: string;
  /** The path of its folder in the shell, for `{baseDir}`: `/workspace/skills/weather`, `/skills/managed/weather`. */
  baseDir: string;
  /** `sha256:` and the first 16 hex digits of the digest of its SKILL.md. */
  version: string;
  /** The etag of its SKILL.md. */
  etag: string;
  /** The size of its SKILL.md, in bytes. */
  size: number;
  /** The parsed `metadata.openclaw`. */
  metadata: SkillMetadata;
  invocation: SkillInvocation;
  homepage?: string;
  license?: string;
  compatibility?: string;
  /** The tools that it declares, as written. */
  allowedTools?: readonly string[];
  /** Sentences about problems in its SKILL.md that do not prevent its use; absent if there are none. */
  issues?: readonly string[];
}

/** How it may be invoked. */
export interface SkillInvocation {
  /** By users, as a command. */
  userInvocable: boolean;
  /** Whether it is hidden from models. */
  disableModelInvocation: boolean;
  /** The tool that its command calls directly, without a model. */
  dispatchTool?: string;
}

/** `metadata.openclaw`, or `metadata.clawdbot` if that is absent. */
export interface SkillMetadata {
  /** Skips the check of its requirements. */
  always?: boolean;
  emoji?: string;
  homepage?: string;
  /** The key of its entry in `skills.entries`, if it is not its name. */
  skillKey?: string;
  /** The variable that is set from `skills.entries.<key>.apiKey`. */
  primaryEnv?: string;
  /** `darwin`, `linux`, `win32`; any if absent. */
  os?: readonly string[];
  requires?: SkillRequirements;
  install?: readonly InstallSpec[];
}

export interface SkillRequirements {
  /** Commands that must all be available. */
  bins: readonly string[];
  /** Commands of which one must be available. */
  anyBins: readonly string[];
  /** Variables that must all be set or assigned. */
  env: readonly string[];
  /** Configuration paths whose values must all be truthy. */
  config: readonly string[];
}

/** How a required command would be installed on a machine. Nothing is installed here. */
export interface InstallSpec {
  kind: "brew" | "node" | "go" | "uv" | "download";
  id?: string;
  label?: string;
  bins?: readonly string[];
  os?: readonly string[];
  /** Fields of its kind: `formula`, `package`, `module`, `url` … */
  [field: string]: unknown;
}

/** A skill or location that is not used, and why. */
export interface LeftOut {
  /** Its name, or its folder's name if it has none. */
  name: string;
  source: SkillSource;
  location: string;
  /** For programs, such as `missing_env` or `shadowed`. */
  code: string;
  /** A sentence, with a remedy if there is one. */
  reason: string;
}

/** A folder tree that is searched for skills. All paths are relative to it. */
export interface SkillRoot {
  source: SkillSource;
  /** The prefix of addresses of its files: `skills/`, `skills://managed/`. */
  address: string;
  /** The prefix of paths of its files in the shell: `/workspace/skills/`, `/skills/managed/`. */
  mount: string;
  /** All files in it. One store operation per 1,000. @throws if its store does not answer */
  list(): Promise<SkillFile[]>;
  /**
   * The bytes of a file; undefined if it is gone or, with `etag`, no longer that version.
   * @throws if its store does not answer
   */
  read(path: string, etag?: string): Promise<Uint8Array | undefined>;
}

export interface SkillFile {
  path: string;
  /** Changes whenever its bytes do. */
  etag: string;
  /** In bytes. */
  size: number;
}

/** The skills of an agent at one moment. */
export interface SkillSet {
  /** The usable skills, by name. */
  eligible: readonly Skill[];
  /** All others, with the reason, by location. */
  leftOut: readonly LeftOut[];
}

/** Replaces `{baseDir}` in the text of a SKILL.md with the path of its folder in the shell. */
export function withBaseDir(text: string, baseDir: string): string {
  return text.replaceAll("{baseDir}", () => baseDir);
}
