/** Until when D1 is away, in milliseconds since the epoch. Of this isolate; a Worker and its objects share one. */
let awayUntil = 0;

const AWAY = "D1_ERROR: Network connection lost.";

/** Lets D1 be away for a while. */
export function takeAway(forMs: number): void {
  awayUntil = Date.now() + forMs;
}

/** The bindings that were made of an isolate's own: Isopod keeps by these objects what it has read. */
const made = new WeakMap<Env, Env>();

/** Bindings whose databases answer nothing while D1 is away. */
export function withOutages(env: Env): Env {
  const bindings = made.get(env) ?? { ...env, DB: failing(env.DB), MEMORY: failing(env.MEMORY) };
  made.set(env, bindings);
  return bindings;
}

const ASKS = new Set(["run", "all", "first", "raw", "batch", "exec"]);
const STATEMENTS = new Set(["prepare", "bind", "withSession"]);
const inner = new WeakMap<object, object>();

/** The same database, session or statement, which fails to answer while D1 is away. */
function failing<Target extends object>(target: Target): Target {
  const proxy = new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        const plain = args.map((arg) => (Array.isArray(arg) ? arg.map(bare) : arg));
        if (STATEMENTS.has(String(name))) return failing(member.apply(target, plain));
        if (ASKS.has(String(name)) && Date.now() < awayUntil) return Promise.reject(new Error(AWAY));
        return member.apply(target, plain);
      };
    },
  });
  inner.set(proxy, target);
  return proxy;
}

/** A statement as D1 knows it. */
function bare(value: unknown): unknown {
  return (typeof value === "object" && value !== null && inner.get(value)) || value;
}
