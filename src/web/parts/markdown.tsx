import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { Fragment, type ReactNode } from "react";
import { SafeLink } from "./safe-link.tsx";

/** Deeper nesting, such as lists in quotes in lists, is shown as source text. */
const DEPTH_MAX = 24;

/**
 * A text as GitHub's Markdown. HTML in it is shown as text, and images as links: recorded contents never make this page send
 * requests to other servers.
 */
export default function Markdown({ text }: { readonly text: string }) {
  return <div className="markdown">{blocks(tokensOf(text), 0)}</div>;
}

function tokensOf(text: string): readonly Token[] {
  try {
    return lexer(text, { gfm: true, breaks: true });
  } catch {
    // Nested too deeply: shown as source text.
    return [{ type: "text", raw: text, text } satisfies Tokens.Text];
  }
}

function blocks(tokens: readonly Token[], depth: number): ReactNode {
  return tokens.map((token, at) => <Fragment key={at}>{node(token as MarkedToken, depth)}</Fragment>);
}

function node(token: MarkedToken, depth: number): ReactNode {
  if (depth > DEPTH_MAX) return token.raw;
  const within = (tokens: readonly Token[] | undefined) => blocks(tokens ?? [], depth + 1);
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return <p className={`markdown-heading markdown-heading-${token.depth}`}>{within(token.tokens)}</p>;
    case "paragraph":
      return <p>{within(token.tokens)}</p>;
    case "blockquote":
      return <blockquote>{within(token.tokens)}</blockquote>;
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
        <section className="markdown-code" tabIndex={0} aria-label={token.lang ? `Code, ${token.lang}` : "Code"}>
          <pre>
            <code>{token.text}</code>
          </pre>
        </section>
      );
    case "list":
      return <List list={token}>{(item) => within(item.tokens)}</List>;
    case "table":
      return <Table table={token}>{(cell) => within(cell.tokens)}</Table>;
    case "hr":
      return <hr />;
    case "checkbox":
      return <input type="checkbox" checked={token.checked} disabled readOnly aria-label="Task" />;
    case "strong":
      return <strong>{within(token.tokens)}</strong>;
    case "em":
      return <em>{within(token.tokens)}</em>;
    case "del":
      return <del>{within(token.tokens)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return <SafeLink href={token.href}>{within(token.tokens)}</SafeLink>;
    case "image":
      return <SafeLink href={token.href}>{token.text === "" ? token.href : token.text}</SafeLink>;
    case "escape":
      return token.text;
    case "text":
      // A list's line is a text with tokens of its own.
      return "tokens" in token && token.tokens !== undefined ? within(token.tokens) : token.text;
    default:
      return token.raw;
  }
}

function List({
  list,
  children,
}: {
  readonly list: Tokens.List;
  readonly children: (item: Tokens.ListItem) => ReactNode;
}) {
  const items = list.items.map((item, at) => <li key={at}>{children(item)}</li>);
  return list.ordered ? <ol start={list.start === "" ? 1 : list.start}>{items}</ol> : <ul>{items}</ul>;
}

function Table({
  table,
  children,
}: {
  readonly table: Tokens.Table;
  readonly children: (cell: Tokens.TableCell) => ReactNode;
}) {
  const cells = (row: readonly Tokens.TableCell[], Cell: "th" | "td") =>
    row.map((cell, at) => (
      <Cell key={at} style={cell.align === null ? undefined : { textAlign: cell.align }}>
        {children(cell)}
      </Cell>
    ));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section className="markdown-table" tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>{cells(table.header, "th")}</tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>{cells(row, "td")}</tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
