import { useState } from "react";
import { Code } from "../../parts/code.tsx";
import { Segments } from "../../parts/segments.tsx";
import { useSession } from "../../session.ts";

const LANGUAGES = { curl: "curl", python: "Python", typescript: "TypeScript" } as const;
type Language = keyof typeof LANGUAGES;

/** How the first request is sent, with this gateway's address, for as long as there is none. */
export function FirstRequest() {
  const { gateway_url: gateway } = useSession();
  const [language, choose] = useState<Language>("curl");
  return (
    <section className="first panel" aria-label="Send the first request">
      <h2>Send the first request</h2>
      <p>
        Point a client at the gateway, <code>{gateway}</code>, and name the provider as the target. Everything else
        stays as it is: your provider's key goes through untouched and is not recorded. <code>WEIR_API_KEY</code> is a
        service key with the scope <code>gateway</code>.
      </p>
      <Segments label="Language" options={LANGUAGES} value={language} onChange={choose} />
      <Code label={LANGUAGES[language]} text={sample(language, gateway)} />
      <p className="first-wait" role="status">
        <span className="pulse" /> Waiting for the first request. It shows here by itself.
      </p>
    </section>
  );
}

function sample(language: Language, gateway: string): string {
  if (language === "curl") {
    return `curl ${gateway}/v1/chat/completions \\
  -H "Gateway-Auth: Bearer $WEIR_API_KEY" \\
  -H "Gateway-Target-Url: https://api.openai.com" \\
  -H "Authorization: Bearer $OPENAI_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}'`;
  }
  if (language === "python") {
    return `import os
from openai import OpenAI

client = OpenAI(
    base_url="${gateway}/v1",
    default_headers={
        "Gateway-Auth": f"Bearer {os.environ['WEIR_API_KEY']}",
        "Gateway-Target-Url": "https://api.openai.com",
    },
)
answer = client.chat.completions.create(
    model="gpt-4o-mini",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`;
  }
  return `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${gateway}/v1",
  defaultHeaders: {
    "Gateway-Auth": \`Bearer \${process.env.WEIR_API_KEY}\`,
    "Gateway-Target-Url": "https://api.openai.com",
  },
});
const answer = await client.chat.completions.create({
  model: "gpt-4o-mini",
  messages: [{ role: "user", content: "Hello" }],
});
console.log(answer.choices[0]?.message.content);`;
}
