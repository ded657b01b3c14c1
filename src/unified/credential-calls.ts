import type { Config } from "../config.ts";
import { trustedAuthorities } from "../egress/authorities.ts";
import { createCallGuard } from "../egress/call-guard.ts";
import { PrivateGuard } from "../egress/private-guard.ts";
import { createResolve } from "../egress/resolve.ts";
import { createStrictUpstream } from "../runtime/http/strict-upstream.ts";
import { callWhole, type WholeRequest, type WholeResponse } from "./whole-call.ts";

/** Small requests with credentials outside of traffic. */
interface CredentialCalls {
  /** @param isPrivate - whether the credential opens private networks. */
  call(request: WholeRequest, isPrivate: boolean): Promise<WholeResponse>;
  close(): void;
}

/** @param ownPorts - of this program's listeners, read at every call: never a target. */
export function createCredentialCalls(config: Config, ownPorts: () => ReadonlySet<number>): CredentialCalls {
  const ca = trustedAuthorities(config.extra_ca_file);
  const [usual, open] = [createCallGuard(config, ownPorts), new PrivateGuard(ownPorts)].map((guard) =>
    createStrictUpstream({ resolve: createResolve(guard, config.dns_servers), ...(ca === undefined ? {} : { ca }) }),
  );
  return {
    call: (request, isPrivate) => callWhole(isPrivate ? open! : usual!, request),
    close() {
      usual!.close();
      open!.close();
    },
  };
}
