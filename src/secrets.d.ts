// The Worker's variables, from `.dev.vars` (locally) or `wrangler secret put` (deployed); see .dev.vars.example.
interface __BaseEnv_Env {
  ISOPOD_TOKEN?: string;
  ISOPOD_CONFIG?: string;
  ISOPOD_MODEL?: string;
  /** Set by `npm start`: the machine that the Worker runs on is not Cloudflare's. */
  ISOPOD_HOST?: "workerd";
}
