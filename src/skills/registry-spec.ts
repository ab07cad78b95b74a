const NAME = /^[a-z0-9][a-z0-9-._~]*$/;
const SCOPED_NAME = /^@[a-z0-9][a-z0-9-._~]*\/[a-z0-9][a-z0-9-._~]*$/;
const TAG = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
/** A version with build metadata (https://semver.org): the one kind of version that does not look like a tag. */
const BUILD =
  /^v?(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*$/;
const MAX_VERSION_CHARS = 256;

/** Whether a text names a package of npm's registry, with an exact version or a tag at most: no address, path, alias or range. */
export function isRegistrySpec(spec: string): boolean {
  const at = spec.lastIndexOf("@");
  const name = at > 0 ? spec.slice(0, at) : spec;
  const version = at > 0 ? spec.slice(at + 1) : undefined;
  if (!(name.startsWith("@") ? SCOPED_NAME : NAME).test(name)) return false;
  return version === undefined || TAG.test(version) || (version.length <= MAX_VERSION_CHARS && BUILD.test(version));
}
