import { scryptSync } from "node:crypto";
import { SYSTEM } from "../../src/people/actor.ts";
import { createUser, type NewUser, type User } from "../../src/store/people/users.ts";
import type { Database } from "../../src/store/store.ts";

/**
 * A user who can log in. What is stored of a password says how dear each check is; this one costs next to nothing, where
 * the program's own takes a third of a second. What the program itself stores has its test in `logins/users.test.ts`.
 */
export async function person(records: Database, { password, ...order }: NewUser & { password: string }): Promise<User> {
  const user = await createUser(records, order, SYSTEM);
  const cost = { N: 16, r: 8, p: 1 };
  const salt = Buffer.from(user.id);
  const hash = scryptSync(password.normalize("NFKC"), salt, 32, cost);
  const stored = ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64url"), hash.toString("base64url")].join("$");
  await records.batch([{ sql: "update users set password = ? where id = ?", args: [stored, user.id] }]);
  return user;
}
