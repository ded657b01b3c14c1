import { expect, test } from "bun:test";
import type { DomainRow } from "../../src/web/pages/domains/shapes.ts";
import { unapprovedHosts } from "../../src/web/pages/domains/unapproved.ts";

const domain = (name: string, state: DomainRow["state"], isPrivate = false): DomainRow => ({
  ...{ domain: name, state, requests_today: 1, remaining_today: null, resets_at: "", source: null },
  private: isPrivate,
});
const refused = (error_code: string | null, target_url: string | null) => ({ error_code, target_url });

const LIMITED = refused("rate_limited", "https://llm.example.com/v1/chat");
const CLOSED = refused("target_forbidden", "http://10.0.0.7:8080");

test.each([
  [
    "the limit of a domain that nobody approved",
    [LIMITED, LIMITED],
    [domain("llm.example.com", "unapproved")],
    [["llm.example.com", false, 2]],
  ],
  [
    "a domain that waits for approval",
    [LIMITED],
    [domain("llm.example.com", "pending")],
    [["llm.example.com", false, 1]],
  ],
  ["an address that is closed", [CLOSED], [], [["10.0.0.7", true, 1]]],
  ["an address that is approved but not opened", [CLOSED], [domain("10.0.0.7", "approved")], [["10.0.0.7", true, 1]]],
  ["an IPv6 address", [refused("target_forbidden", "http://[fd00::1]:80")], [], [["fd00::1", true, 1]]],
  [
    "the most refused first",
    [CLOSED, LIMITED, LIMITED],
    [domain("llm.example.com", "revoked")],
    [
      ["llm.example.com", false, 2],
      ["10.0.0.7", true, 1],
    ],
  ],
  ["a domain that is approved by now", [LIMITED], [domain("llm.example.com", "approved")], []],
  ["an address that is open by now", [CLOSED], [domain("10.0.0.7", "approved", true)], []],
  ["what an admin denied", [LIMITED, CLOSED], [domain("llm.example.com", "denied"), domain("10.0.0.7", "denied")], []],
  ["a limit of another kind, at a provider's host", [refused("rate_limited", "https://api.openai.com")], [], []],
  [
    "other refusals",
    [refused("missing_target", null), refused("invalid_target", "nonsense"), refused(null, "https://a.test")],
    [],
    [],
  ],
] as const)("of refused requests it finds: %s", (_name, rows, domains, expected) => {
  const found = unapprovedHosts(rows, domains);
  expect(found.map(({ host, isPrivate, requests }) => [host, isPrivate, requests])).toEqual(
    expected.map((each) => [...each]),
  );
});
