/** Provider, model, US dollars per million input tokens, origin. */
export const MODELS: readonly (readonly [string, string, number, string])[] = [
  ["OPENAI", "gpt-4o", 2.5, "https://api.openai.com"],
  ["OPENAI", "gpt-4o-mini", 0.15, "https://api.openai.com"],
  ["OPENAI", "gpt-4.1", 2, "https://api.openai.com"],
  ["ANTHROPIC", "claude-sonnet-4-5", 3, "https://api.anthropic.com"],
  ["ANTHROPIC", "claude-haiku-4-5", 1, "https://api.anthropic.com"],
  ["GOOGLE", "gemini-2.5-flash", 0.3, "https://generativelanguage.googleapis.com"],
  ["MISTRAL", "mistral-large-latest", 2, "https://api.mistral.ai"],
  ["GROQ", "llama-3.3-70b-versatile", 0.59, "https://api.groq.com"],
];

const QUESTIONS: readonly string[] = [
  "How do I change the address on my last order?",
  "Summarise this report in five sentences.",
  "Write a function that merges two sorted lists.",
  "Welche Unterlagen brauche ich für den Antrag?",
  "Explain the difference between a weir and a dam.",
  "Translate the following paragraph into French.",
  "Is this review positive or negative?",
  "Plan a three-day trip to Lisbon for two.",
  "Find the bug in this query and mend it.",
  "Draft a polite answer to this complaint.",
];

const RESPONSES: readonly string[] = [
  "A weir is a low barrier across a river that lets the water flow over its crest.",
  "The order can still be changed until it has left the warehouse.",
  "Both lists are walked once, so the time grows with the sum of their lengths.",
  "For the application you need a proof of identity and the form from the website.",
  "The review is positive on the whole, with one complaint about the delivery.",
  "On the first day, start early in the old town and take the tram uphill.",
  "The join condition compares the wrong columns, which doubles some rows.",
  "We are sorry for the delay, and have refunded the shipping costs.",
  "The figures for the third quarter are above those of the year before.",
  "Il convient de vérifier les chiffres avant la publication du rapport.",
  "If the level rises further, the gates are opened step by step.",
];

/** Different exchanges that records are made of. */
export const POOL = 2_000;

/** The texts and bodies of one of them. */
export function exchangeOf(n: number) {
  const model = MODELS[n % MODELS.length]![1];
  const prompt = `${QUESTIONS[n % QUESTIONS.length]} (${n})`;
  const completion = Array.from({ length: 2 + (n % 5) }, (_, i) => RESPONSES[(n * 7 + i * 3) % RESPONSES.length]).join(
    " ",
  );
  const system = { role: "system", content: RESPONSES[n % 5] };
  const usage = { prompt_tokens: 40 + n, completion_tokens: n % 400, total_tokens: 40 + n + (n % 400) };
  const message = { role: "assistant", content: completion };
  return {
    prompt,
    completion,
    request: { model, messages: [system, { role: "user", content: prompt }] },
    response: {
      id: `chatcmpl-${n}`,
      object: "chat.completion",
      model,
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage,
    },
  };
}
