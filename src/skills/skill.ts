/** Where skills come from, the strongest first: of two with the same name, the stronger one counts, whole. */
export const SKILL_SOURCES = ["workspace", "agents", "managed", "bundled", "extra", "plugin"] as const;

export type SkillSource = (typeof SKILL_SOURCES)[number];

/** One skill as its SKILL.md says it, whether or not it may be used. Plain data: it is stored as JSON. */
export interface Skill {
  /** What it is called in lists; unique among the skills of one agent. */
  name: string;
  description: string;
  source: SkillSource;
  /** Where its SKILL.md is for `read`: `skills/weather/SKILL.md`, `skills://managed/weather/SKILL.md`. */
  location: string;
  /** Where its folder is in the shell, for `{baseDir}`: `/workspace/skills/weather`, `/skills/managed/weather`. */
  baseDir: string;
  /** `sha256:` and the first 16 hex digits of the digest of its SKILL.md. */
  version: string;
  /** Of its SKILL.md, as its store gives it. */
  etag: string;
  /** Of its SKILL.md, in bytes. */
  size: number;
  /** What `metadata.openclaw` says. */
  metadata: SkillMetadata;
  invocation: SkillInvocation;
  homepage?: string;
  license?: string;
  compatibility?: string;
  /** Tools that it says it needs, as it says it. */
  allowedTools?: readonly string[];
  /** Sentences about what is amiss with its SKILL.md and does not keep it from use; absent where nothing is. */
  issues?: readonly string[];
}

/** How it may be called on. */
export interface SkillInvocation {
  /** By people, as a command. */
  userInvocable: boolean;
  /** True where it is left out of what models are shown. */
  disableModelInvocation: boolean;
  /** The tool that its command goes to without a model. */
  dispatchTool?: string;
}

/** `metadata.openclaw`, or `metadata.clawdbot` where that is absent. */
export interface SkillMetadata {
  /** What it requires is not looked at. */
  always?: boolean;
  emoji?: string;
  homepage?: string;
  /** The key of its entry in `skills.entries`, where that is not its name. */
  skillKey?: string;
  /** The variable that `skills.entries.<key>.apiKey` is the value of. */
  primaryEnv?: string;
  /** `darwin`, `linux`, `win32`; any where it is absent. */
  os?: readonly string[];
  requires?: SkillRequirements;
  install?: readonly InstallSpec[];
}

export interface SkillRequirements {
  /** Commands, all of which have to be there. */
  bins: readonly string[];
  /** Commands, one of which has to be there. */
  anyBins: readonly string[];
  /** Variables, all of which have to be set or given. */
  env: readonly string[];
  /** Paths of the configuration, all of which have to be truthy. */
  config: readonly string[];
}

/** How a command that it needs would be installed on a machine; nothing is, here. */
export interface InstallSpec {
  kind: "brew" | "node" | "go" | "uv" | "download";
  id?: string;
  label?: string;
  bins?: readonly string[];
  os?: readonly string[];
  /** What is particular to its kind: `formula`, `package`, `module`, `url` … */
  [field: string]: unknown;
}

/** Something that was found and is not used, and why. */
export interface LeftOut {
  /** Its name, or its folder's where it has none. */
  name: string;
  source: SkillSource;
  location: string;
  /** For programs, such as `missing_env` or `shadowed`. */
  code: string;
  /** A sentence, with what to do where something can be done. */
  reason: string;
}

/** One place in which skills are looked for. All paths are relative to it. */
export interface SkillRoot {
  source: SkillSource;
  /** What the address of a file in it begins with: `skills/`, `skills://managed/`. */
  address: string;
  /** What the path of a file in it begins with in the shell: `/workspace/skills/`, `/skills/managed/`. */
  mount: string;
  /** Every file in it, by path. One store operation for 1,000 of them. @throws where its store does not answer */
  list(): Promise<SkillFile[]>;
  /**
   * The bytes of one of them; undefined where it is gone, or is no longer the version of `etag` where that is given.
   * @throws where its store does not answer
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

/** What the skills of an agent come to at one moment. */
export interface SkillSet {
  /** Those that may be used, by name. */
  eligible: readonly Skill[];
  /** Everything else that was found, with the reason, by location. */
  leftOut: readonly LeftOut[];
}

/** A SKILL.md as its reader is to follow it: `{baseDir}` is where its folder is in the shell. */
export function withBaseDir(text: string, baseDir: string): string {
  return text.replaceAll("{baseDir}", () => baseDir);
}
