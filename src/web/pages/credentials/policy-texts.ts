import { windowText } from "../../parts/format.ts";
import { amountText } from "../limits/limit-text.ts";

const UNITS: readonly string[] = ["request", "cents", "tokens"];

/** Describes each of the rate-limit policies, such as `600;w=60,5000;w=86400;u=cents`; invalid ones are shown unchanged. */
export function policyTexts(policies: string): readonly string[] {
  return policies.split(",").map((policy) => {
    const [quota = "", ...members] = policy.split(";").map((part) => part.trim());
    const { w, u = "request", s } = Object.fromEntries(members.map((member) => member.split("=")));
    if (!/^\d+(\.\d+)?$/.test(quota) || !/^\d+$/.test(w ?? "") || !UNITS.includes(u)) return policy.trim();
    const segment = s === undefined ? "" : `, per ${s}`;
    return `${amountText(Number(quota), u as "request")} in ${windowText(Number(w))}${segment}`;
  });
}
