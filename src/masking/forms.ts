/**
 * Keys recognized by their form, whatever their name: prefixed keys of providers, of Weir, of clouds and code hosts, and
 * JSON Web Tokens.
 */

type Rest = (rest: string) => boolean;

/** At least 16 characters that are not words, because `sk-learn-random-forest-v2` is the name of a model. */
const isRandom: Rest = (rest) => rest.length >= 16 && !isWords(rest);
const isHex: Rest = (rest) => /^[0-9a-f]{32}/.test(rest);
const isUpper: Rest = (rest) => /^[A-Z0-9]{16}(?![A-Za-z0-9])/.test(rest);
const isLong: Rest = (rest) => rest.length >= 16;

const FORMS: readonly (readonly [prefixes: string, rest: Rest])[] = [
  ["sk- sk_ ek_ rk- rk_ pk- pk_ gsk- gsk_ csk- csk_ xai- xai_ hf- hf_ pplx- pplx_ nvapi- nvapi_ r8- r8_", isRandom], // providers, Stripe, Langfuse, Weir
  ["tgp_v1_ fw_ pcsk_ jina_ tvly- lsv2_ api_org_ rpa_ vck_ AGE-SECRET-KEY- hvs. dp.st. ABSK", isRandom], // other services, Bedrock, Vault, Doppler
  ["ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- npm_ pypi- figd_ lin_api_ ntn_ secret_ ATATT", isRandom], // code hosts and trackers
  [
    "xoxa- xoxb- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp- whsec_ shpat_ shpca_ shpss_ SG. dop_v1_ sbp_ sntrys_ sntryu_",
    isRandom,
  ], // Slack, Shopify, SendGrid, DigitalOcean
  ["AIza ya29. GOCSPX- eyJ", isLong], // Google; JWT and JSON in base64
  ["AKIA ASIA", isUpper], // AWS
  ["dapi key- fc-", isHex], // Databricks, Mailgun, Firecrawl
];

/** Forms by the code of their first character, which is ASCII. */
const BY_FIRST: (readonly (readonly [prefix: string, rest: Rest])[] | undefined)[] = new Array(128).fill(undefined);
for (const [prefixes, rest] of FORMS) {
  for (const prefix of prefixes.split(" ")) {
    const first = prefix.charCodeAt(0);
    BY_FIRST[first] = [...(BY_FIRST[first] ?? []), [prefix, rest]];
  }
}

const PREFIXES = FORMS.flatMap(([prefixes]) => prefixes.split(" ")).map(RegExp.escape);
/** Most runs have no prefix, and the runtime searches for all of them at once. */
const HAS_PREFIX = new RegExp(`(?:^(?:bot)?|[^A-Za-z0-9])(?:${PREFIXES.join("|")})`);

/** Maximum characters of a run that are checked after a prefix, so that the time stays linear. */
const REST_LENGTH_MAX = 64;

/** A run with more prefixes than this counts as a key: no ordinary name looks like that. */
const CANDIDATES_MAX = 32;

/** Minimum length of a key. */
export const KEY_LENGTH_MIN = 18;

/**
 * Where a key begins in a run of letters, digits, `-`, `_`, `.` and `~`; -1 if there is none.
 *
 * A key begins at the start of a word, or after `bot`, as in the paths of Telegram's bots.
 */
export function findKey(run: string): number {
  if (!HAS_PREFIX.test(run)) return -1;
  let inWord = false;
  let candidates = 0;
  for (let at = 0; at + KEY_LENGTH_MIN <= run.length; at++) {
    const code = run.charCodeAt(at);
    const begins = !inWord || (at === 3 && run.startsWith("bot"));
    inWord = isWordCharacter(code);
    const forms = begins ? BY_FIRST[code] : undefined;
    if (forms === undefined) continue;
    for (const [prefix, isRest] of forms) {
      if (!run.startsWith(prefix, at)) continue;
      const rest = at + prefix.length;
      if (++candidates > CANDIDATES_MAX || isRest(run.slice(rest, rest + REST_LENGTH_MAX))) return at;
    }
  }
  return -1;
}

function isWordCharacter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a);
}

/** Lower-case words up to 14 letters, and short mixtures and numbers, between separators. */
function isWords(text: string): boolean {
  let letters = 0;
  let digits = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x61 && code <= 0x7a) letters++;
    else if (code >= 0x30 && code <= 0x39) digits++;
    else if (code >= 0x41 && code <= 0x5a) return false;
    else {
      const isWord = letters + digits <= 4 || (digits === 0 && letters <= 14) || (letters === 0 && digits <= 8);
      if (!isWord) return false;
      letters = 0;
      digits = 0;
    }
  }
  return true;
}
