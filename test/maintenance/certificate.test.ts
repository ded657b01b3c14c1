import { expect, test } from "bun:test";
import { validity } from "../../src/maintenance/doctor/checks/certificates.ts";

const CERTIFICATE = { validFrom: "Jan  1 00:00:00 2026 GMT", validTo: "Dec 24 12:00:00 2026 GMT" };

test.each([
  ["2025-12-31T23:59:59Z", "fail", "is not valid before 2026-01-01"],
  ["2026-01-01T00:00:00Z", "ok", "is valid until 2026-12-24"],
  ["2026-12-10T12:00:00Z", "ok", "is valid until 2026-12-24"],
  ["2026-12-10T12:00:01Z", "warn", "expires on 2026-12-24, in 13 days"],
  ["2026-12-23T00:00:00Z", "warn", "expires on 2026-12-24, in 1 day"],
  ["2026-12-24T11:59:59Z", "warn", "expires on 2026-12-24, in 0 days"],
  ["2026-12-24T12:00:00Z", "fail", "expired on 2026-12-24"],
])("at %s the certificate is %s", (now, verdict, message) => {
  const outcome = validity("cert.pem", CERTIFICATE, Date.parse(now));
  expect([outcome.verdict as string, outcome.message]).toEqual([verdict, `cert.pem ${message}`]);
});
