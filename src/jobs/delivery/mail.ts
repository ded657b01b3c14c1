import { createTransport } from "nodemailer";
import type { Config } from "../../config.ts";
import type { Json } from "../../plugin/contract.ts";
import { messageOf } from "./messages/event.ts";

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
  const { title, text, facts, link, time } = messageOf(payload);
  const lines = [
    title,
    "",
    text,
    ...facts.map(([name, value]) => `${name}: ${value}`),
    ...(link === undefined ? [] : ["", `Requests: ${link}`]),
    "",
    `Alert ${payload.alert_id}, event ${payload.event_id ?? "none"}, ${time}`,
  ];
  return { subject: `[Weir] ${title}`, text: `${lines.join("\n")}\n` };
}
