import type { Config } from "../../config.ts";
import { trustedAuthorities } from "../../egress/authorities.ts";
import { createCallGuard } from "../../egress/call-guard.ts";
import { post } from "../../egress/post.ts";
import { createResolve } from "../../egress/resolve.ts";
import { messageOf } from "../../log.ts";
import { createStrictUpstream } from "../../runtime/http/strict-upstream.ts";
import { signatureHeaders } from "../../store/deliveries/signing.ts";
import type { Endpoint } from "./endpoint.ts";
import { openMailer } from "./mail.ts";
import { callsOf, type ServiceChannel } from "./messages/calls.ts";

const RESPONSE_MS = 15_000;
const ERROR_CHARS_MAX = 300;

/** The result of one attempt. */
interface Sent {
  readonly status: number | null;
  /** Why it was refused, or null if it was accepted. */
  readonly error: string | null;
  /** Whether a retry is useless. */
  readonly final?: boolean;
  readonly retryAfterMs?: number;
}

export interface Sender {
  /** Never rejects. */
  send(endpoint: Endpoint, id: string, payload: string): Promise<Sent>;
  close(): void;
}

/**
 * Sends to webhooks, chats, pagers and mail servers. Addresses are checked at every connection, and the connection goes to the
 * checked address.
 *
 * @param ownPorts - ports of this program's listeners, which are never called.
 */
export function openSender(config: Config, ownPorts: () => ReadonlySet<number>): Sender {
  const ca = trustedAuthorities(config.extra_ca_file);
  const upstream = createStrictUpstream({
    resolve: createResolve(createCallGuard(config, ownPorts), config.dns_servers),
    ...(ca === undefined ? {} : { ca }),
  });
  const mailer = openMailer(config, ca);

  const toAddress = async (url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Sent> => {
    const { status, retryAfterMs } = await post(upstream, { url, headers, body, timeoutMs: RESPONSE_MS });
    if (status >= 200 && status < 300) return { status, error: null };
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    return { status, error: `the receiver responded with ${status}`, final: status === 410, ...wait };
  };
  const toWebhook = async (url: string, secret: string, id: string, body: string): Promise<Sent> => {
    const headers = signatureHeaders(secret, id, Math.floor(Date.now() / 1_000), body);
    return toAddress(url, headers, body);
  };
  const toService = async (channel: ServiceChannel, payload: string): Promise<Sent> => {
    let sent: Sent = { status: null, error: null };
    for (const { url, body, headers = {} } of callsOf(channel, JSON.parse(payload))) {
      sent = await toAddress(url, headers, JSON.stringify(body));
      if (sent.error !== null) return sent;
    }
    return sent;
  };
  return {
    async send(endpoint, id, payload) {
      try {
        if (endpoint.type === "gone") return { status: null, error: endpoint.why, final: true };
        if (endpoint.type === "webhook") return await toWebhook(endpoint.url, endpoint.secret, id, payload);
        if (endpoint.type !== "email") return await toService(endpoint, payload);
        if (mailer === undefined) return { status: null, error: "no mail server is configured" };
        await mailer.send(id, endpoint.to, JSON.parse(payload));
        return { status: null, error: null };
      } catch (error) {
        return { status: null, error: messageOf(error).replace(/\s+/g, " ").slice(0, ERROR_CHARS_MAX) };
      }
    },
    close: () => {
      upstream.close();
      mailer?.close();
    },
  };
}
