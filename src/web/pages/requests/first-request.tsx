import { useState } from "react";
import { Code } from "../../parts/code.tsx";
import { Segments } from "../../parts/segments.tsx";
import { useSession } from "../../session.ts";

const LANGUAGES = { curl: "curl", python: "Python", typescript: "TypeScript" } as const;
type Language = keyof typeof LANGUAGES;

const TARGETS = { echo: "Built-in echo", openai: "OpenAI" } as const;
type Target = keyof typeof TARGETS;

/** How to send the first request to this gateway, shown until there is one. */
export function FirstRequest() {
  const { gateway_url: gateway } = useSession();
  const [target, aim] = useState<Target>("echo");
  const [language, choose] = useState<Language>("curl");
  return (
    <section className="first panel" aria-label="Send the first request">
      <h2>Send the first request</h2>
      <p>
        Point a client at the gateway, <code>{gateway}</code>, and name the provider as the target. The echo needs no
        account: it responds inside Weir, with the words of the request. A provider gets your request as you send it;
        its key goes through untouched and is not recorded. <code>WEIR_API_KEY</code> is a service key with the scope{" "}
        <code>gateway</code>.
      </p>
      <div className="first-choices">
        <Segments label="Target" options={TARGETS} value={target} onChange={aim} />
        <Segments label="Language" options={LANGUAGES} value={language} onChange={choose} />
      </div>
      <Code label={LANGUAGES[language]} text={SAMPLES[language](gateway, AIMS[target])} />
      <p className="first-wait" role="status">
        <span className="pulse" /> Waiting for the first request. It will show here.
      </p>
    </section>
  );
}

interface Aim {
  readonly origin: string;
  readonly model: string;
  /** Variable with the provider's key, if it needs one. */
  readonly key: string | undefined;
}

const AIMS: Readonly<Record<Target, Aim>> = {
  echo: { origin: "http://echo.weir.internal", model: "echo", key: undefined },
  openai: { origin: "https://api.openai.com", model: "gpt-4o-mini", key: "OPENAI_API_KEY" },
};

const SAMPLES: Readonly<Record<Language, (gateway: string, aim: Aim) => string>> = {
  curl: (gateway, { origin, model, key }) => `curl ${gateway}/v1/chat/completions \\
  -H "Gateway-Auth: Bearer $WEIR_API_KEY" \\
  -H "Gateway-Target-Url: ${origin}" \\
${key === undefined ? "" : `  -H "Authorization: Bearer $${key}" \\\n`}  -H "Content-Type: application/json" \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'`,

  python: (gateway, { origin, model, key }) => `import os
from openai import OpenAI

client = OpenAI(
    base_url="${gateway}/v1",${key === undefined ? '\n    api_key="none",' : ""}
    default_headers={
        "Gateway-Auth": f"Bearer {os.environ['WEIR_API_KEY']}",
        "Gateway-Target-Url": "${origin}",
    },
)
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,

  typescript: (gateway, { origin, model, key }) => `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${gateway}/v1",${key === undefined ? '\n  apiKey: "none",' : ""}
  defaultHeaders: {
    "Gateway-Auth": \`Bearer \${process.env.WEIR_API_KEY}\`,
    "Gateway-Target-Url": "${origin}",
  },
});
const answer = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "Hello" }],
});
console.log(answer.choices[0]?.message.content);`,
};
