import { Elysia, t } from "elysia";
import packageJson from "../../../package.json" with { type: "json" };
import { GatewayError } from "../../errors.ts";
import { hashKey, type KeySnapshot, whyUnusable } from "../../keys.ts";
import { isoTimeOrNull } from "../../record/iso-time.ts";
import { organizationName } from "../../store/keys.ts";
import { calledOrigin, gatewayOrigin, ownOrigin } from "../access/called-origin.ts";
import type { Gate } from "../access/gate.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import type { ApiRoom } from "../room.ts";
import { FailedLogins } from "./failed-logins.ts";
import { refuseOtherSites } from "./logins.ts";

const LOGIN = t.Object(
  { key: t.String({ minLength: 1, maxLength: 1_000, description: "A service key." }) },
  { additionalProperties: false },
);

/** Who is asking, and where things are: what `GET /v1/session` answers. */
export interface SessionView {
  readonly key: { readonly id: string; readonly name: string };
  readonly organization: string;
  readonly organization_id: string;
  readonly scopes: readonly string[];
  /** When the key expires, or null. */
  readonly key_expires_at: string | null;
  /** When the log-in ends unless it is renewed; null for who came with a key. */
  readonly expires_at: string | null;
  readonly gateway_url: string;
  readonly api_url: string;
  readonly region: string;
  readonly version: string;
}

/** Log-in, log-out, and who one is. */
export function sessionEndpoints(room: ApiRoom, gate: () => Gate) {
  const failed = new FailedLogins();
  const view = async (request: Request, key: KeySnapshot, expires: number | null): Promise<SessionView> => ({
    key: { id: key.id, name: key.name },
    organization: (await organizationName(room.reader.records, key.organizationId)) ?? key.organizationId,
    organization_id: key.organizationId,
    scopes: key.scopes,
    key_expires_at: isoTimeOrNull(key.expiresAt),
    expires_at: expires === null ? null : new Date(expires * 1_000).toISOString(),
    gateway_url: gatewayOrigin(room.config, request, await gatewayPort(room)),
    api_url: calledOrigin(room.config, request),
    region: room.config.region,
    version: packageJson.version,
  });
  return new Elysia()
    .post(
      "/v1/session",
      async ({ body, request }) => {
        refuseOtherSites(request, ownOrigin(room.config, request), false);
        const key = await keyOf(room, body.key.trim());
        const why = key === undefined ? "unknown" : whyUnusable(key, Date.now());
        if (key === undefined || why !== undefined) {
          await failed.note();
          const reasons = { unknown: "is not known here", revoked: "was revoked", expired: "has expired" };
          throw new GatewayError("invalid_auth", `this key ${reasons[why ?? "unknown"]}`, { path: "key" });
        }
        room.keys.used(key.id);
        const answer = success(await view(request, key, null));
        answer.headers.set("set-cookie", await room.logins.begin(request, key.id));
        return answer;
      },
      {
        body: LOGIN,
        ...endpoint("Session", "Log in", "Answers a cookie that stands for the key, for the dashboard."),
      },
    )
    .get(
      "/v1/session",
      async ({ request }) => {
        const { key } = gate().caller(request);
        const login = gate().loginOf(request);
        const answer = success(await view(request, key, login?.expires ?? null));
        if (login !== undefined) answer.headers.set("set-cookie", await room.logins.renew(request, login));
        return answer;
      },
      endpoint("Session", "Who is asking", "Renews a log-in, up to seven days after it began."),
    )
    .delete(
      "/v1/session",
      async ({ request }) => {
        const login = gate().loginOf(request);
        const answer = success([]);
        if (login !== undefined) answer.headers.set("set-cookie", await room.logins.end(request, login));
        return answer;
      },
      endpoint("Session", "Log out"),
    );
}

/** A key that was made a moment ago, by the command line, is looked for once more. */
async function keyOf({ keys }: ApiRoom, key: string): Promise<KeySnapshot | undefined> {
  const hash = hashKey(key);
  const known = keys.byHash(hash);
  if (known !== undefined) return known;
  await keys.refresh().catch(() => {}); // the watch says why keys cannot be read
  return keys.byHash(hash);
}

/** As configured where it is fixed: then no other thread need be asked. */
async function gatewayPort({ config, gateway }: ApiRoom): Promise<number> {
  return config.gateway_port !== 0 ? config.gateway_port : (await gateway.status()).port;
}
