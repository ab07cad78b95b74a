// The Worker's variables, from `.dev.vars` (locally) or `wrangler secret put` (deployed); see .dev.vars.example.
interface __BaseEnv_Env {
  ISOPOD_TOKEN?: string;
  ISOPOD_CONFIG?: string;
  ISOPOD_MODEL?: string;
  /** Encrypts tokens that have to be stored, and signs links: 32 bytes in base64. */
  ISOPOD_DATA_KEY?: string;
  /** Set by `npm start`: the machine that the Worker runs on is not Cloudflare's. */
  ISOPOD_HOST?: "workerd";
}
