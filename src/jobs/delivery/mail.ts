import { createTransport } from "nodemailer";
import type { Config } from "../../config.ts";
import type { Json } from "../../plugin-host/contract.ts";
import { messageOf } from "./messages/event.ts";

const CONNECT_MS = 10_000;
const SILENCE_MS = 15_000;
/** A local connection needs no verified certificate, because a local mail server usually has a self-signed one. */
const ON_THIS_MACHINE = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

interface Mailer {
  /** Resolves once the mail server has accepted it. */
  send(id: string, to: string, payload: Json): Promise<void>;
  close(): void;
}

/**
 * Sends alert notifications as plain text through the configured mail server; undefined if there is none. A server that
 * offers TLS must use it, with a valid certificate unless it is on this machine.
 *
 * @param ca - trusted authorities; undefined: the system's.
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
      // The same id at every attempt, so that a mail server that receives it twice shows it once.
      await transport.sendMail({ to, subject, text, messageId: `<${id}@${domain}>` });
    },
    close: () => transport.close(),
  };
}

/** The text of an event. */
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
