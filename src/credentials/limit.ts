/** One rate-limit policy of a credential. */
interface LimitPolicy {
  readonly quota: number;
  readonly windowMs: number;
  readonly unit: "request" | "cents" | "tokens";
}

const UNITS: readonly LimitPolicy["unit"][] = ["request", "cents", "tokens"];
const POLICIES_MAX = 20;
const WINDOW_SECONDS_MAX = 31_536_000;
const PARAMETERS = ["w", "u"];

/**
 * Reads the `limit` of a credential: the grammar of `Gateway-RateLimit-Policy` without segments, because a credential's
 * limit covers everything that it pays.
 *
 * The rate-limits plugin has its own parser, because plugins import nothing; a test compares the two.
 *
 * @returns the policies, or an error sentence.
 */
export function readLimit(text: string): readonly LimitPolicy[] | string {
  const policies: LimitPolicy[] = [];
  const texts = text.split(",");
  if (texts.length > POLICIES_MAX) return `there are ${texts.length} policies; at most ${POLICIES_MAX} are read`;
  for (const each of texts) {
    const policy = readPolicy(each.trim());
    if (typeof policy === "string") return policy;
    policies.push(policy);
  }
  return policies;
}

function readPolicy(text: string): LimitPolicy | string {
  if (text === "") return "a policy is empty; it looks like 600;w=60";
  const wrong = (why: string) => `in "${text.slice(0, 100)}" ${why}`;
  const [quota = "", ...parameters] = text.split(";").map((part) => part.trim());
  const given = new Map<string, string>();
  for (const parameter of parameters) {
    const at = parameter.indexOf("=");
    const name = (at < 0 ? parameter : parameter.slice(0, at)).trim();
    const value = at < 0 ? "" : parameter.slice(at + 1).trim();
    if (name === "s")
      return wrong("a credential's limit has no segment: it counts everything that the credential pays");
    if (!PARAMETERS.includes(name)) return wrong(`"${name}" is not a parameter; known: w and u`);
    if (given.has(name)) return wrong(`"${name}" is given twice`);
    if (value === "") return wrong(`"${name}" has no value`);
    given.set(name, value);
  }
  const unit = UNITS.find((each) => each === (given.get("u") ?? "request"));
  if (unit === undefined) return wrong(`the unit must be ${UNITS.join(", ")}, not "${given.get("u")}"`);
  if (!(unit === "cents" ? /^\d{1,15}(\.\d{1,6})?$/ : /^\d{1,15}$/).test(quota)) {
    return wrong(`the quota must be a whole number${unit === "cents" ? " or a decimal one" : ""} of up to 15 digits`);
  }
  const seconds = given.get("w");
  if (seconds === undefined) return wrong("the window is missing: add w=<seconds>");
  if (!/^\d{1,8}$/.test(seconds) || Number(seconds) < 1 || Number(seconds) > WINDOW_SECONDS_MAX) {
    return wrong(`the window must be from 1 to ${WINDOW_SECONDS_MAX} seconds, not "${seconds}"`);
  }
  return { quota: Number(quota), windowMs: Number(seconds) * 1_000, unit };
}
