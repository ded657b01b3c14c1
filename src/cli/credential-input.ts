import type { CredentialForm } from "../plugin-host/contract.ts";
import type { Invocation } from "./command.ts";
import { asNumber } from "./read-options.ts";
import { UsageError } from "./usage-error.ts";

type Members = Readonly<Record<string, unknown>>;

/** The members of a credential from the options, in the form of the API. @throws UsageError if one is a secret. */
export function membersOf({ options }: Pick<Invocation, "options">, { secret }: CredentialForm): Members {
  const list = (name: string) => options[name] as readonly string[] | undefined;
  const text = (name: string) => options[name]?.toString();
  const models = text("models");
  const flags = { private: options["private"], shared: options["shared"] };
  if (options["enable"] && options["disable"]) throw new UsageError("--enable and --disable: give one of them");
  const set = Object.fromEntries(pairs(list("set"), "set").map(([name, value]) => [name, asFlag(name, value)]));
  const inSight = [...secret, "secrets"].find((member) => Object.hasOwn(set, member));
  if (inSight !== undefined)
    throw new UsageError(`--set ${inSight}: other users can see arguments; give a secret on stdin or at the prompt`);
  const members: Record<string, unknown> = {
    weight: asNumber(options, "weight"),
    models: models === undefined ? undefined : listOf(models),
    model_map: optional(pairs(list("model-map"), "model-map")),
    limit: text("limit"),
    headers: optional(pairs(list("header"), "header")),
    base_url: text("base-url"),
    ask_usage: yesOrNo(text("ask-usage"), "ask-usage"),
    ...Object.fromEntries(Object.entries(flags).filter(([, flag]) => flag === true)),
    ...(options["enable"] === true && { enabled: true }),
    ...(options["disable"] === true && { enabled: false }),
    ...Object.fromEntries(listOf(text("reset") ?? "").map((member) => [member, null])),
  };
  // An absent option does not override `--set`.
  return { ...set, ...Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) };
}

const FLAGS: ReadonlySet<string> = new Set(["private", "shared", "enabled", "ask_usage"]);

/** `--set` takes every member, including booleans. */
const asFlag = (name: string, value: string): unknown =>
  FLAGS.has(name) && (value === "true" || value === "false") ? value === "true" : value;

/** The values of an option, separated by commas. */
function listOf(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

function pairs(texts: readonly string[] | undefined, option: string): [string, string][] {
  return (texts ?? []).map((text) => {
    const at = text.indexOf("=");
    if (at < 1) throw new UsageError(`--${option} takes NAME=VALUE, not ${text}`);
    return [text.slice(0, at), text.slice(at + 1)];
  });
}

function optional(entries: readonly [string, string][]): object | undefined {
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function yesOrNo(text: string | undefined, option: string): boolean | undefined {
  if (text === undefined) return undefined;
  if (text !== "yes" && text !== "no") throw new UsageError(`--${option} takes yes or no, not ${text}`);
  return text === "yes";
}

/**
 * Secrets from stdin, or from a terminal without echo; never from an argument, which other users can see.
 *
 * Stdin is one secret, or several: JSON with the names of members, lines `name=value`, or the JSON of a service account.
 *
 * @param only - the one member to prompt for.
 */
export async function secretsOf(
  { terminal }: Pick<Invocation, "terminal">,
  form: CredentialForm,
  only: string | undefined,
): Promise<Members> {
  if (only !== undefined && !form.secret.includes(only))
    throw new UsageError(`--secret ${only}: there is no such secret; known: ${form.secret.join(", ")}`);
  const { askSecret, stdin } = terminal;
  if (askSecret !== undefined)
    return askSecrets(askSecret, only === undefined ? form.secret : [only], only === undefined);
  const text = (await stdin?.())?.trim() ?? "";
  if (text === "") return {};
  return only === undefined ? secretsIn(text, form) : { [only]: text };
}

async function askSecrets(ask: (prompt: string) => Promise<string>, members: readonly string[], mayBeEmpty: boolean) {
  const secrets: Record<string, string> = {};
  const hint = mayBeEmpty && members.length > 1 ? " (empty to leave it out)" : "";
  for (const member of members) {
    const secret = (await ask(`${member}${hint}: `)).trim();
    if (secret !== "") secrets[member] = secret;
  }
  return secrets;
}

function secretsIn(text: string, { secret }: CredentialForm): Members {
  if (secret.length === 0) throw new UsageError("this provider's credential has no secret; leave stdin empty");
  const json = text.startsWith("{") ? jsonIn(text) : undefined;
  if (json !== undefined) {
    if (secret.includes("service_account") && "private_key" in json) return { service_account: text };
    return json;
  }
  const lines = text.split(/\r?\n/).map((line) => /^\s*(?:export\s+)?(\w+)\s*=\s*"?([^"]*)"?\s*$/.exec(line));
  const members = lines.map((line) => secret.find((member) => line?.[1]?.toLowerCase().endsWith(member)));
  if (members.every((member) => member !== undefined)) {
    return Object.fromEntries(members.map((member, at) => [member, lines[at]![2]!]));
  }
  return { [secret.includes("api_key") ? "api_key" : secret[0]!]: text };
}

function jsonIn(text: string): Members | undefined {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError("stdin begins like JSON, but is not valid JSON");
  }
}
