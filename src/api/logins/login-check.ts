import { GatewayError } from "../../errors.ts";
import { hashKey, type KeySnapshot, UNUSABLE, whyUnusable } from "../../keys.ts";
import { storedEmail } from "../../people/email.ts";
import { isPassword } from "../../people/password.ts";
import { noteFailedLogin } from "../../store/people/logins.ts";
import { findUser, membershipsOf } from "../../store/people/users.ts";
import { calledFrom } from "../access/addresses.ts";
import { type Caller, callerOfKey } from "../access/caller.ts";
import type { ApiContext } from "../context.ts";
import { FailedKeys } from "./failed-keys.ts";
import { callerIn } from "./logins.ts";

/** The caller that a service key or a password stands for. A wrong one is delayed, and noted in the audit log. */
export class LoginCheck {
  readonly #context: ApiContext;
  readonly #failedKeys = new FailedKeys();

  constructor(context: ApiContext) {
    this.#context = context;
  }

  /** @throws GatewayError `invalid_auth`, `rate_limited`. */
  async byKey(request: Request, text: string): Promise<Caller> {
    const { config, keys } = this.#context;
    if (!config.key_login) throw new GatewayError("invalid_auth", "service keys do not log in here", { path: "key" });
    const key = await keyOf(this.#context, text);
    const why = key === undefined ? "unknown" : whyUnusable(key, Date.now());
    if (key === undefined || why !== undefined) {
      await this.#failedKeys.note();
      await this.#noteFailed(request, key?.name ?? "key");
      throw new GatewayError("invalid_auth", `this key ${UNUSABLE[why ?? "unknown"]}`, { path: "key" });
    }
    keys.used(key.id);
    return callerOfKey(key, { request, address: calledFrom(request) });
  }

  /** @throws GatewayError `invalid_auth`, `rate_limited`, `not_a_member`. */
  async byPassword(request: Request, typed: string, password: string): Promise<Caller> {
    const { config, home, logins } = this.#context;
    if (!config.local_login) throw new GatewayError("invalid_auth", "passwords do not log in here", { path: "email" });
    const email = storedEmail(typed) ?? typed;
    const { records } = home.reader;
    const user = await findUser(records, "email", email);
    const isRight = await logins.failedPasswords.attempt(email, calledFrom(request), async () => {
      const isTheirs = await isPassword(password, user?.password ?? null);
      return isTheirs && user?.disabled_at === null;
    });
    if (user === undefined || !isRight) {
      await this.#noteFailed(request, email);
      // The same response in both cases, so that it does not reveal who has an account.
      throw new GatewayError("invalid_auth", "the address or the password is wrong", { path: "password" });
    }
    const memberships = await membershipsOf(records, user);
    if (memberships.length === 0) throw new GatewayError("not_a_member");
    return callerIn(user, memberships, request);
  }

  async #noteFailed(request: Request, name: string): Promise<void> {
    const actor = { kind: "system", id: "log-in", name: "log-in" } as const;
    const by = { actor, address: calledFrom(request), requestId: null };
    await noteFailedLogin((await this.#context.home.writer()).records, name, by);
  }
}

/** Checks again for a key that the command line may have just created. */
async function keyOf({ keys }: ApiContext, key: string): Promise<KeySnapshot | undefined> {
  const hash = hashKey(key);
  const known = keys.ring.known(hash);
  if (known !== undefined) return known;
  await keys.refresh().catch(() => {}); // the watch reports why keys cannot be read
  return keys.ring.known(hash);
}
