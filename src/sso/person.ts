import { GatewayError } from "../errors.ts";
import { storedEmail } from "../people/email.ts";
import { type Claims, claimAt, groupsIn, leavesGroupsOut, type Person } from "./claims.ts";
import type { SsoProvider } from "./provider.ts";

const NAME_CHARS_MAX = 200;
const SUBJECT_CHARS_MAX = 255;

/** Whether claims that the provider's rules need are missing: its userinfo endpoint may have them. */
export function saysTooLittle(provider: SsoProvider, claims: Claims): boolean {
  if (typeof claims["email"] !== "string") return true;
  return provider.rules.some(
    ({ group, claim }) =>
      (group !== undefined && groupsIn(claimAt(claims, provider.groupsClaim)) === undefined) ||
      (claim !== undefined && claimAt(claims, claim.name) === undefined),
  );
}

/**
 * The user described by the claims.
 *
 * @throws GatewayError `login_refused` with a message for the user: what is missing, and who can change it.
 */
export function personOf(provider: SsoProvider, claims: Claims): Person {
  const { label, groupsClaim, allowedDomains, rules } = provider;
  const { sub, email: claimed, name } = claims;
  if (typeof sub !== "string" || sub === "" || sub.length > SUBJECT_CHARS_MAX)
    throw refused(`${label} does not identify you: its claim sub is missing or too long`);
  if (typeof claimed !== "string" || claimed === "")
    throw refused(`${label} sends no e-mail address: ask its administrator to add the claim email to the ID token`);
  const email = storedEmail(claimed);
  if (email === undefined) throw refused(`${label} sends an e-mail address that cannot be used here`);
  if (isDenied(claims["email_verified"]) || isDenied(claims["xms_edov"]))
    throw refused(`${label} has not verified the e-mail address ${email}: verify it there, then log in again`);
  const domain = email.slice(email.indexOf("@") + 1);
  if (allowedDomains.length > 0 && !allowedDomains.includes(domain))
    throw refused(`e-mail addresses at ${domain} may not log in here: use another account`);
  const groups = groupsIn(claimAt(claims, groupsClaim));
  if (groups === undefined && leavesGroupsOut(claims, groupsClaim) && rules.some(({ group }) => group !== undefined))
    throw refused(
      `${label} omits your groups, because you are in too many: ask its administrator to send the groups assigned to this application, or its roles`,
    );
  const shown = typeof name === "string" && name.trim() !== "" ? name.trim().slice(0, NAME_CHARS_MAX) : email;
  return { subject: sub, email, name: shown, groups: groups ?? [], claims };
}

/** A missing claim is not a denial: most company providers omit it, because they assign the addresses themselves. */
function isDenied(claim: unknown): boolean {
  return claim !== undefined && claim !== true && claim !== "true" && claim !== 1 && claim !== "1";
}

function refused(message: string): GatewayError {
  return new GatewayError("login_refused", message);
}
