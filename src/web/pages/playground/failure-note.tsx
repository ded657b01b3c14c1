import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Failure } from "./attempt.ts";

const CREDENTIALS = (
  <Link to="/credentials" className="button small">
    Credentials
  </Link>
);

/** How to fix the gateway's own errors. */
const CURES: Readonly<Record<string, ReactNode>> = {
  no_credential: <>Store a key of that provider: {CREDENTIALS}</>,
  credential_rejected: <>The provider refused the stored key: test or replace it. {CREDENTIALS}</>,
  credential_locked: <>No key of this node opens the stored secret. {CREDENTIALS}</>,
  model_forbidden: "The key that you are logged in with is bound to other models.",
  rate_limited: (
    <>
      A limit is used up.{" "}
      <Link to="/limits" className="button small">
        Limits
      </Link>
    </>
  ),
};

/** Why there is no response, in plain words. */
export function FailureNote({ failure, status }: { readonly failure: Failure; readonly status: number | undefined }) {
  const { message, code, provider } = failure;
  const cure = code === undefined || !Object.hasOwn(CURES, code) ? undefined : CURES[code];
  const who = provider === undefined ? "" : `${provider} responded${status === undefined ? "" : ` with ${status}`}: `;
  return (
    <div className="trouble" role="alert">
      <p>
        {who}
        {message}
      </p>
      {cure === undefined ? null : <p className="trouble-cure">{cure}</p>}
    </div>
  );
}
