/** Usual names of members with this meaning. All lower case. */
const list = (words: string): ReadonlySet<string> => new Set(words.split(" "));

export const WORDS = {
  input: list(
    "in input inputs prompt request ask asked read sent question query consumed ingress received fed context",
  ),
  output: list(
    "out output outputs completion generated gen response answer reply written produced emitted egress said new",
  ),
  total: list("total sum all overall both"),
  counts: list(
    "token tokens usage billing billed meter metering count counts units consumption spent spending stats accounting tok toks",
  ),
  noCount: list(
    "ms latency time duration seconds elapsed created timestamp at date index idx seq position limit max min remaining price cost usd port version code status rank choice id",
  ),
  cached: list("cache cached"),
  reasoning: list("reasoning thought thoughts thinking think reflection scratchpad"),
  role: list("role speaker author from sender who by actor party side voice origin source kind type name"),
  text: list(
    "text content message utterance say says said words body value answer reply output response completion prompt line speech msg t txt result",
  ),
  prompt: list("prompt query question input text ask instruction message request q utterance user task content say"),
  system: list("system instructions preamble persona directive guidance rules context sys"),
  name: list("name tool fn function method action called"),
  arguments: list("arguments args parameters params input inputs payload with kwargs"),
  description: list("description about doc docs purpose help summary desc"),
  id: list("id uid uuid ref key call trace handle"),
  model: list("model engine brain llm"),
  error: list("message reason detail details description why text msg fault problem error explanation"),
  choices: list(
    "choices choice candidates candidate alternatives alternative generations generation options completions results variants samples",
  ),
  score: list("score prob probability likelihood confidence rank weight logprob"),
  noText: list(
    "id uid uuid type object kind status state model engine role finish reason stop created version language locale format trace",
  ),
} as const satisfies Readonly<Record<string, ReadonlySet<string>>>;

/** Usual names of roles, by their meaning. */
const ROLES: Readonly<Record<string, ReadonlySet<string>>> = {
  user: list("user human customer client me person caller visitor guest u h player asker you member usr"),
  assistant: list(
    "assistant bot ai model agent chatbot machine system_bot answerer a b helper llm computer oracle narrator companion asst",
  ),
  system: list("system sys instruction instructions director context preamble admin setup rules"),
  developer: list("developer operator"),
  tool: list("tool function fn plugin"),
};

/** Splits a name: `inputTokens` and `input_tokens` become `input` and `tokens`. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
}

export const says = (name: string, meaning: ReadonlySet<string>): boolean =>
  meaning.has(name.toLowerCase()) || wordsOf(name).some((word) => meaning.has(word));

/** Files and hashes as text: base64, hexadecimal, a `data:` address. Natural language has blanks, or shorter words. */
export function isEncoded(text: string): boolean {
  if (text.startsWith("data:")) return true;
  if (text.length < 40 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return false;
  return (
    /^[0-9a-f]+$/i.test(text) || text.endsWith("=") || (/[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text))
  );
}

/** The meaning of a role name, by the word only. */
export function knownRole(name: string): string | undefined {
  const lower = name.toLowerCase();
  return Object.keys(ROLES).find((role) => ROLES[role]!.has(lower));
}
