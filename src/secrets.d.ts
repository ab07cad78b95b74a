// What `.dev.vars` (locally) or `wrangler secret put` (deployed) gives the Worker; .dev.vars.example says what each is for.
interface __BaseEnv_Env {
  ISOPOD_TOKEN?: string;
  ISOPOD_CONFIG?: string;
  ISOPOD_MODEL?: string;
  /** Set by `npm start`: the machine that the Worker runs on is not Cloudflare's. */
  ISOPOD_HOST?: "workerd";
}
