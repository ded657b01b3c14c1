import { expect, test } from "bun:test";
import { memberLabel } from "../../src/web/pages/credentials/member-label.ts";

test.each([
  ["api_key", "API key"],
  ["secret_access_key", "Secret access key"],
  ["tenant_id", "Tenant ID"],
  ["base_url", "Base URL"],
  ["location", "Location"],
])("the member %p of a credential has the label %p", (member, label) => {
  expect(memberLabel(member)).toBe(label);
});
