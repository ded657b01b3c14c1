import { expect, test } from "bun:test";
import fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import Markdown from "../../src/web/parts/markdown.tsx";
import { assertProperty } from "../chance.ts";

const rendered = (text: string) => renderToStaticMarkup(createElement(Markdown, { text }));
const within = (text: string) => rendered(text).replace(/^<div class="markdown">|<\/div>$/g, "");

test.each([
  ["plain", "<p>plain</p>"],
  ["a **b** *c* ~~d~~ `e`", "<p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e</code></p>"],
  ["a\nb", "<p>a<br/>b</p>"],
  ["## Head", '<p class="markdown-heading markdown-heading-2">Head</p>'],
  ["- a\n- b", "<ul><li>a</li><li>b</li></ul>"],
  ["3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
  ["> a", "<blockquote><p>a</p></blockquote>"],
  ["---", "<hr/>"],
  ["\\*a\\*", "<p>*a*</p>"],
])("%p is shown as %p", (text, html) => {
  expect(within(text)).toBe(html);
});

test("code and tables can be scrolled by key", () => {
  expect(within("```js\na < b\n```")).toContain('tabindex="0" aria-label="Code, js"><pre><code>a &lt; b</code>');
  expect(within("| a | b |\n|---|--:|\n| 1 | 2 |")).toContain('<td style="text-align:right">2</td>');
});

test("a task says whether it is done, and cannot be changed", () => {
  expect(within("- [x] a")).toContain('<input type="checkbox" disabled="" readOnly="" aria-label="Task" checked=""/>');
});

test.each([
  ["[x](javascript:alert(1))", "<p><span>x</span></p>"],
  ["[x](data:text/html,y)", "<p><span>x</span></p>"],
  ["<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"],
  ["a <b>c</b>", "<p>a &lt;b&gt;c&lt;/b&gt;</p>"],
])("%p does nothing: %p", (text, html) => {
  expect(within(text)).toBe(html);
});

test("a picture is a link, so that the page does not load it", () => {
  const html = within("![seen](https://example.com/x.png)");
  expect(html).toContain('href="https://example.com/x.png"');
  expect(html).not.toContain("<img");
});

test("what is nested too deeply is shown as it was written", () => {
  expect(rendered(">".repeat(20_000))).toContain("&gt;&gt;&gt;");
  expect(rendered(`${"*a ".repeat(5_000)}`)).toContain("a");
});

test("no text brings an element that acts, or an address that is not the web's", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "[",
      "](",
      ")",
      "![",
      "<",
      ">",
      "javascript:",
      "<script>",
      "`",
      "```\n",
      "\n",
      "|",
      "- ",
      "http://a",
    ),
  );
  assertProperty(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const html = rendered(pieces.join(""));
      expect(html).not.toMatch(/<(script|img|iframe|style|object|form|svg)\b/i);
      for (const [, href] of html.matchAll(/href="([^"]*)"/g)) expect(href).toMatch(/^https?:/i);
      expect(html).not.toMatch(/<[^>]*\son\w+=/i);
    }),
  );
});
