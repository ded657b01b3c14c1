/**
 * Names whose value is a credential: headers of both sides, parameters of addresses, and members of JSON. The list errs on
 * the side of masking, because a masked value costs a reader little, but a stored credential must be replaced by its owner.
 * Known harmless names are listed here as well.
 */

/** Secret anywhere in a name, with or without separators. `author` and `authority` are not credentials. */
const STRONG =
  /auth(?!or(?:s|ed|ing|ship|ity)?(?![a-z]))|secret|passw|passphrase|passcode|pwd|credential|signature|cookie|bearer|jwt|(?:api|private|access|provider)-?key/;

/** Secret as the last word of a name. */
const LAST_WORDS: ReadonlySet<string> = new Set(
  `key keys token sig session sessionid sid pass pin otp csrf xsrf hmac ticket assertion dpop sas samlresponse samlrequest`.split(
    " ",
  ),
);

/** Trailing words that are ignored: `token_v2`, `key-id`, `session[0]`. */
const TAIL = /^(?:id|value|raw|b64|base64|encoded|hash|header|v?\d+)$/;

/** Names that end in one of these without a separator, such as `accesstoken`, except English words. */
const JOINED = /(?:token|key)$/;
const ENGLISH = /^(?:monkey|turkey|donkey|hockey|jockey|whiskey|hotkey)$|(?:next|page|prev)token$/;

/** Words that make a following `key` or `token` harmless: it is then a place, a page or a count. */
const HARMLESS_BEFORE: Readonly<Record<string, ReadonlySet<string>>> = {
  key: new Set(
    "idempotency cache surrogate websocket partition routing sort primary foreign public dedup deduplication group object".split(
      " ",
    ),
  ),
  token: new Set(
    "page next prev previous continuation pagination cursor sync max min per first last stop pad eos bos".split(" "),
  ),
};

/** Names that match the rules but are not secret. */
const HARMLESS: ReadonlySet<string> = new Set([
  "access-control-allow-credentials",
  "www-authenticate",
  "proxy-authenticate",
  "signature-input",
  "accept-signature",
  "x-forwarded-authority",
]);

/** OAuth's codes; secret only as a parameter of an address, because `code` means something else in a header or a label. */
const CODE = /^(?:code|(?:auth|authorization|device|user)-?code|code-?verifier)$/;

/** Owners choose their labels: `session`, `key` and `token` are usual names there, these are not. */
const SECRET_LABEL =
  /passw|passphrase|secret|credential|bearer|jwt|api-?key|private-?key|access-?key|authorization|(?:^|-)pwd$|(?:^|-)(?:access|auth|refresh|bearer|id|security|api|csrf)-?token$|(?:^|-)cookies?$/;

/** Longer names are judged by their end. */
const NAME_LENGTH_MAX = 128;
/** Maximum cached names, so that clients with invented names cannot fill the memory. */
const REMEMBERED_MAX = 5_000;

/** @param name - of a header, a parameter or a member, in any case, decoded. */
export const isSecretName = remembering((name) => isSecret(wordsOf(name)));

/** @param name - of a parameter in an address, decoded. */
export const isSecretParameter = remembering((name) => {
  const words = wordsOf(name);
  return isSecret(words) || CODE.test(words);
});

/** @param name - of a property or a prompt's input. */
export const isSecretLabel = remembering((name) => SECRET_LABEL.test(wordsOf(name)));

function isSecret(words: string): boolean {
  if (HARMLESS.has(words)) return false;
  if (STRONG.test(words)) return true;
  const all = words.split("-");
  let last = all.length - 1;
  while (last > 0 && TAIL.test(all[last]!)) last--;
  const word = all[last]!;
  if (!LAST_WORDS.has(word)) return JOINED.test(word) && !ENGLISH.test(word);
  return last === 0 || HARMLESS_BEFORE[word]?.has(all[last - 1]!) !== true;
}

/**
 * Converts `accessToken`, `access_token` and `user[access.token]\0` to words with hyphens: `access-token`,
 * `user-access-token`.
 */
function wordsOf(name: string): string {
  return name
    .slice(-NAME_LENGTH_MAX)
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

function remembering(judge: (name: string) => boolean): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    let is = known.get(name);
    if (is === undefined) {
      is = judge(name);
      if (name.length <= NAME_LENGTH_MAX && known.size < REMEMBERED_MAX) known.set(name, is);
    }
    return is;
  };
}
