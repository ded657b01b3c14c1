import { t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { whyWeak } from "../../people/password.ts";
import { MEMBER_ROLES } from "../../store/people/members.ts";

export const NAME = t.String({ minLength: 1, maxLength: 200, pattern: "\\S" });
export const ROLE = t.String({ description: `One of ${MEMBER_ROLES.join(", ")}.` });
export const PASSWORD = t.String({ minLength: 1, maxLength: 1_000 });

/** @throws GatewayError `invalid_body` if it is too short or too common. */
export function checkPassword(password: string): void {
  const why = whyWeak(password);
  if (why !== undefined) throw new GatewayError("invalid_body", `password: ${why}`, { path: "password" });
}

export const noSuch = (what: string) => new GatewayError("not_found", `there is no ${what} with this id`);
