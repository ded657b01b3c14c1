import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { maskLabel, maskPath, maskText } from "../../src/masking/mask.ts";
import { isSecretLabel, isSecretName } from "../../src/masking/names.ts";
import { assertProperty } from "../chance.ts";

/** What no text may hold after it was masked. */
const S = "Pl4nted5ecretkX9q";
const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIi${S}.${S}`;
const HEX = "0123456789abcdef0123456789abcdef";

describe("names", () => {
  test.each(
    `authorization proxy-authorization x-api-key api-key apikey APIKEY X-API-Key OPENAI_API_KEY x-goog-api-key cookie
     set-cookie set-cookie2 x-auth-token accessToken access_token accesstoken auth_token oauth client_secret password
     passwd passphrase passcode pwd pin bearer jwt otp csrf xsrf hmac sid session session_id x-session-id mcp-session-id
     sig signature X-Amz-Signature X-Amz-Credential X-Amz-Security-Token X-Goog-Signature subscription-key key keys
     api_key[] user[api_key] api_key%00 client_assertion assertion SAMLResponse samlrequest ticket AWSAccessKeyId
     AccountKey SharedAccessSignature private_key token token_v2 key-id token[0] credentials x-csrf-token
     authentication-info x-hub-signature-256 dpop sas x-ms-sas`
      .trim()
      .split(/\s+/),
  )("%s names a credential", (name) => expect(isSecretName(name)).toBe(true));

  test.each(
    `max_tokens max-tokens x-ratelimit-remaining-tokens page_token next_token nextPageToken pageToken continuation_token
     token_type token_count x-amzn-bedrock-input-token-count time-to-first-token stop_token tokenizer author x-author
     authors authority idempotency-key x-idempotency-key sec-websocket-key cache-key prompt_cache_key surrogate-key
     partition_key sort_key primary-key monkey turkey keyboard keyword session_name session-affinity session_count
     sessions pins pass-through passenger compass overseas dpop-nonce sv signal design code status_code country_code
     access-control-allow-credentials www-authenticate content-type user-agent accept anthropic-version
     openai-organization request-id traceparent model alt sse q`
      .trim()
      .split(/\s+/),
  )("%s names no credential", (name) => expect(isSecretName(name)).toBe(false));

  test.each(["Password", "client-secret", "API_KEY", "accessToken", "jwt", "db-pwd", "Authorization"])(
    "the property %s is secret",
    (name) => expect(isSecretLabel(name)).toBe(true),
  );
  test.each([
    "AppKey",
    "session",
    "Session-Id",
    "key",
    "token",
    "pin",
    "author",
    "env",
    "Ticket",
    "code",
    "cookie-banner",
  ])("the property %s is an ordinary one", (name) => expect(isSecretLabel(name)).toBe(false));
});

describe("texts", () => {
  test.each([
    // By scheme.
    `Bearer ${S}`,
    `bearer x`,
    `basic ${S}`,
    `Basic YTpi`,
    `Token ${S}`,
    `AWS4-HMAC-SHA256 Credential=AKIA/x, SignedHeaders=host, Signature=${S}`,
    `Digest username="a", response="${S}"`,
    `foo bearer ${S}`,
    `curl -H 'Authorization: Bearer ${S}'`,
    `-----BEGIN RSA PRIVATE KEY----- ${S}`,
    // By form.
    `sk-${S}`,
    `sk-proj-${S}-${S}_x`,
    `sk-ant-api03-${S}`,
    `sk-weir-eu-${S}`,
    `ek_${S}`,
    `rk_live_${S}`,
    `pk_live_${S}`,
    `gsk_${S}`,
    `hf_${S}`,
    `ghp_${S}`,
    `github_pat_${S}`,
    `glpat-${S}`,
    `xoxb-1234-${S}`,
    `AIza${S}${S}`,
    `ya29.${S}`,
    "AKIAIOSFODNN7EXAMPLE",
    `${JWT}`,
    `dapi${HEX}`,
    `SG.${S}.${S}`,
    `  sk-${S}  `,
    `key=sk-${S}`,
    `{"a":"sk-${S}"}`,
    `"sk-${S}"`,
    `'ghp_${S}'`,
    `a, sk-${S}, b`,
    `prod_sk-${S}`,
    `openai:sk-${S}`,
    `123456789:AAE${S}${S}`,
    // By name.
    `api_key=${S}`,
    `a=1; password=${S}; b=2`,
    `password="${S} with blanks"`,
    `{"api_key":"${S}"}`,
    `{'client_secret' : '${S}'}`,
    `{"a":{"accessToken":"${S}"}}`,
    `{\\"password\\":\\"${S}\\"}`,
    `{"api_keys":["${S}"]}`,
    `{"pin": 4242}`,
    `login(user_password=${S})`,
    `%zz-----BEGIN RSA PRIVATE KEY----- ${S}`,
    `{"api\\u005fkey":"${S}"}`,
    // Addresses.
    `https://u:${S}@h/x`,
    `https://${S}@h`,
    `//u:${S}@h/`,
    `https://a.blob.core.windows.net/c/b?sv=2024&sig=${S}&se=2026`,
    `https://h/operations/1?token=${S}`,
    `https://h/cb?code=${S}&state=1`,
    `<https://h/x?api_key=${S}>; rel="next"`,
    `5; url=https://h/?access_token=${S}`,
    `https%3A%2F%2Fu%3A${S}%40h`,
    `https://p/?u=https%3A%2F%2Fh%3Fapi_key%3D${S}`,
    `https://p/?u=https%253A%252F%252Fh%253Fapi_key%253D${S}`,
  ])("%s loses what is secret", (text) => {
    const masked = maskText(text);
    expect(masked).toContain("***");
    for (const secret of [S, "YTpi", "4242", "IOSFODNN", HEX]) expect(masked).not.toContain(secret);
    expect(maskText(masked)).toBe(masked);
  });

  test.each([
    [`https://h/a?x=1&token=${S}&y=2`, "https://h/a?x=1&token=***&y=2"],
    [`https://u:${S}@h/x?y=1`, "https://***@h/x?y=1"],
    [`a=1; password=${S}; b=2`, "a=1; password=***; b=2"],
    [`{"a":1,"api_key":"${S}","b":2}`, '{"a":1,"api_key":"***","b":2}'],
    [`{"a":"${JWT}"}`, '{"a":"***"}'],
    [`first sk-${S} second`, "first *** second"],
    [`Bearer ${S}`, "***"],
  ])("%s becomes %s", (text, expected) => expect(maskText(text)).toBe(expected));

  test.each([
    "gpt-4o-mini-2024-07-18",
    "claude-sonnet-4-5-20250929",
    "anthropic/claude-3.5-sonnet:beta",
    "accounts/fireworks/models/llama-v3p1-405b-instruct",
    "us.anthropic.claude-3-7-sonnet-20250219-v1:0",
    "ft:gpt-4o-mini-2024-07-18:acme::AbCdEf12",
    "sk-learn-random-forest-v2",
    "task-1234567890abcdef1234",
    "0192f5b0-7c1e-7abc-8def-0123456789ab",
    "pmpt_68f0a1b2c3d4e5f60718293a4b5c6d7e",
    "chatcmpl-9zXkQ1a2B3c4D5e6F7g8H9i0J",
    "req_011CQabcdefGHIJKLmnopqrs",
    "resp_0a1b2c3d4e5f60718293a4b5c6d7e8f9",
    "file-AbCdEf1234567890",
    "msg_01XFDUDYJgAACzvnptvVoYEL",
    "application/json; charset=utf-8",
    "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
    "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
    "OpenAI/Python 1.55.0",
    '"Chromium";v="140", "Not=A?Brand";v="24"',
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "max-age=63072000; includeSubDomains; preload",
    'Bearer realm="api", error="invalid_token"',
    'Digest realm="api", nonce="abc"',
    "Basic plan",
    "token usage",
    "polar bearer analysis",
    "Sun, 22 Nov 2026 10:00:00 GMT",
    "10.0.0.1:8443",
    "https://api.example.com/v1/models?limit=20&after=abc",
    "https://h/list?page_token=CAUQAA&max_tokens=5&status_code=7",
    "mailto:alice@example.com",
    "alice@example.com",
    "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:",
    "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ=",
    "support/tier-2/escalation path 7",
    "100% of key accounts",
    "caf%C3%A9+au+lait",
    '{"model":"m","max_tokens":5,"next_token":"abc"}',
    "it's 5 o'clock: \"now\"",
  ])("%s stays as it is", (text) => {
    expect(maskText(text)).toBe(text);
    expect(maskLabel(text)).toBe(text);
  });
});

describe("paths", () => {
  test.each([
    [`/v1/sk-${S}/x`, "/v1/***/x"],
    [`/botsk-${S}/sendMessage`, "/bot***/sendMessage"],
    [`/bot123456789:AAE${S}${S}/sendMessage`, "/bot123456789***/sendMessage"],
    [`/p;api_key=${S}/x`, "/p;api_key=***/x"],
    [`/a?passphrase=${S}&pin=${S}&bearer=${S}`, "/a?passphrase=***&pin=***&bearer=***"],
    [`/a?api_key[]=${S}&x=1`, "/a?api_key[]=***&x=1"],
    [`/a?client_assertion=${S}&assertion=${S}`, "/a?client_assertion=***&assertion=***"],
    [`/a?SAMLResponse=${S}&ticket=${S}&code=${S}`, "/a?SAMLResponse=***&ticket=***&code=***"],
    [`/a?api_key%00=${S}`, "/a?api_key%00=***"],
    [`/a?b=1&api_key%3D${S}&c=2`, "/a?b=1&***&c=2"],
    [`/a?u=https%3A%2F%2Fu%3A${S}%40h&b=2`, "/a?u=***&b=2"],
    [`/a?u=https%3A%2F%2Fh%3Fapi_key%3D${S}`, "/a?u=***"],
    [`/a?j=%7B%22api_key%22%3A%22${S}%22%7D`, "/a?j=***"],
    [`/a?j={"api_key":"${S}"}&k=1`, '/a?j={"api_key":"***"}&k=1'],
    [`/a?sk-${S}`, "/a?***"],
    [`/a?sk%2D${S}`, "/a?***"],
    [`/a?x=Bearer%20${S}`, "/a?x=***"],
    [`/a?x=Bearer+${S}`, "/a?x=***"],
    [`/a?password=a,b"c?d&e=f`, "/a?password=***&e=f"],
    [`/proxy/https%3A%2F%2Fu%3A${S}%40h/x`, "/proxy/***/x"],
    [`/a#access_token=${S}`, "/a#access_token=***"],
    [`/a?sv=2024&sig=${S}`, "/a?sv=2024&sig=***"],
  ])("%s is recorded as %s", (path, expected) => {
    expect(maskPath(path)).toBe(expected);
    expect(maskPath(expected)).toBe(expected);
  });

  test.each([
    "/v1/chat/completions",
    "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    "/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21",
    "/v1/models?limit=20&page_token=CAUQAA&next_token=abc&max_tokens=5",
    "/v1/threads/thread_abc123DEF456ghi789/runs/run_abc123DEF456ghi789",
    "/a?X-Amz-Date=20261122T000000Z&X-Amz-Expires=900&X-Amz-Algorithm=AWS4-HMAC-SHA256",
    "/a?q=key&key",
    "/key/x/token/y",
    "/s?q=100%25+of+caf%C3%A9&country_code=DE",
    "/a?u=https%3A%2F%2Fexample.com%2Fx%3Fy%3D1",
  ])("%s stays as it is", (path) => expect(maskPath(path)).toBe(path));
});

describe("labels", () => {
  test("a label that is a key keeps requests of one key together without revealing it", () => {
    const [one, again, other] = [`sk-${S}a`, ` sk-${S}a`, `sk-${S}b`].map((value) => maskLabel(value));
    expect(one).toMatch(/^\*\*\*[0-9a-f]{8}$/);
    expect(again).toBe(one!);
    expect(other).not.toBe(one!);
  });
  test.each([
    [`Bearer ${S}`, undefined, "***"],
    ["hunter2", "Password", "***"],
    ["", "Password", ""],
    ["hunter2", "Session", "hunter2"],
    [`https://h/?token=${S}`, "Link", "https://h/?token=***"],
  ])("%s as %s is kept as %s", (value, name, expected) => expect(maskLabel(value, name)).toBe(expected));
});

describe("any text", () => {
  const word = fc.stringMatching(/^[a-z]{1,12}$/);
  const harmless = fc.oneof(
    fc.uuid(),
    fc.integer().map(String),
    fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(" ")),
    fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join("-")),
    fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => `/${words.join("/")}`),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    fc.emailAddress().filter((address) => !/[=%'`/]/.test(address)),
  );
  const key = fc
    .tuple(
      fc.constantFrom("sk-", "ghp_", "AIza", "hf_", "pk_live_", "xoxb-"),
      fc.stringMatching(/^[A-Z][0-9][A-Za-z0-9]{20,40}$/),
    )
    .map((parts) => parts.join(""));
  const around = fc.constantFrom(" ", ", ", "; a=", '"', "'", "/", "?x=", "&", "(", ":");

  test("what holds no credential is the same text", () => {
    const schemes = /\b(?:bearer|basic|digest|negotiate|token|apikey)\b/;
    assertProperty(
      fc.property(harmless, (text) => {
        if (schemes.test(text)) return;
        expect(maskText(text)).toBe(text);
        expect(maskLabel(text)).toBe(text);
      }),
    );
  });

  test("a key is found wherever it stands, also percent-encoded, and masking again changes nothing", () => {
    assertProperty(
      fc.property(harmless, around, key, around, harmless, (before, left, secret, right, after) => {
        for (const text of [
          `${before}${left}${secret}${right}${after}`,
          `x=${encodeURIComponent(`${before}${left}${secret}`)}`,
        ]) {
          const masked = maskText(text);
          expect(masked).not.toContain(secret.slice(8));
          expect(maskText(masked)).toBe(masked);
          const path = maskPath(`/a/${text.replace(/[^\x21-\x7e]/g, "-")}`);
          expect(path).not.toContain(secret.slice(8));
        }
      }),
    );
  });

  test("arbitrary bytes are masked without an error, and no more than once", () => {
    assertProperty(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        expect(maskText(maskText(text))).toBe(maskText(text));
        expect(maskPath(maskPath(text))).toBe(maskPath(text));
      }),
    );
  });

  // Texts of clients: one in quadratic time would hold everybody for minutes.
  test.each([
    "=",
    "@//a",
    'key="',
    '"key":',
    "'key':",
    "sk-",
    `sk-${S}/`,
    "token ",
    "basic \t",
    "%2525",
    "\\",
    "\\u0025",
    ":AA",
    "a=b&",
    "token=a&",
    "-----BEGIN ",
    "api-",
    "bot",
  ])("a megabyte of %s is masked in a time that grows with its length alone", (piece) => {
    const text = ` @ ${piece.repeat(1_000_000 / piece.length)} %41 key=1`;
    for (const masked of [maskText(text), maskPath(text), maskLabel(text, text)])
      expect(masked.length).toBeGreaterThan(0);
  });
});
