import { createTransport } from "nodemailer";
import type { Config } from "../../config.ts";
import type { Json } from "../../plugin/contract.ts";

const CONNECT_MS = 10_000;
const SILENCE_MS = 15_000;
/** Nobody stands between this machine and itself; what its own mail server shows is mostly what its package made up. */
const ON_THIS_MACHINE = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

interface Mailer {
  /** Resolves once the mail server has taken it. */
  send(id: string, to: string, payload: Json): Promise<void>;
  close(): void;
}

/**
 * Sends what is told of alerts as plain text through the configured mail server; undefined where none is. A server that
 * offers TLS is asked for it, and has to prove who it is unless it is on this machine.
 *
 * @param ca - authorities that are trusted; undefined: the system's.
 */
export function openMailer({ smtp_url, smtp_from }: Config, ca: string[] | undefined): Mailer | undefined {
  if (smtp_url === "") return undefined;
  const transport = createTransport(
    {
      url: smtp_url,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      tls: { rejectUnauthorized: !ON_THIS_MACHINE.test(new URL(smtp_url).hostname), ...(ca && { ca }) },
    },
    { from: smtp_from, disableFileAccess: true, disableUrlAccess: true },
  );
  const domain = /@([^\s@<>]+)>?$/.exec(smtp_from)?.[1] ?? "weir";
  return {
    send: async (id, to, payload) => {
      const { subject, text } = mailOf(payload);
      // The same id at every attempt: a mail server that took it twice shows it once.
      await transport.sendMail({ to, subject, text, messageId: `<${id}@${domain}>` });
    },
    close: () => transport.close(),
  };
}

/** What a person reads of an event. */
function mailOf(payload: Json): { readonly subject: string; readonly text: string } {
  const what = String(payload.type).replace("alert.", "");
  const group = Object.entries(payload.group ?? {}).map(([name, value]) => `${name} ${value ?? "(none)"}`);
  const of = group.length === 0 ? "" : ` (${group.join(", ")})`;
  const lines = [
    `${payload.name}: ${what}${of}`,
    "",
    `${payload.metric} is ${payload.value ?? "not known"}, of ${payload.requests} requests in the last ${spanOf(payload.window_seconds)}.`,
    `The alert fires while it is ${payload.comparison} ${payload.threshold}.`,
    ...(payload.triggered_at === null ? [] : [`It began at ${payload.triggered_at}.`]),
    ...(payload.type === "alert.triggered" ? [] : [`Why: ${payload.reason}.`]),
    "",
    `Alert ${payload.alert_id}, event ${payload.event_id ?? "none"}, ${payload.timestamp}`,
  ];
  return { subject: `[Weir] ${payload.name}: ${what}${of}`, text: `${lines.join("\n")}\n` };
}

const UNITS = [
  ["days", 86_400],
  ["hours", 3_600],
  ["minutes", 60],
] as const;

/** In the largest unit of which there are several, and no part of one. */
function spanOf(seconds: number): string {
  const [name, size] = UNITS.find(([, each]) => seconds % each === 0 && seconds > each) ?? ["seconds", 1];
  return `${seconds / size} ${name}`;
}
