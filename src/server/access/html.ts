// Builds HTML. Text of an agent, an issue or a file is shown literally and has no effect in the browser: markup is escaped,
// and characters that hide or reorder text are spelled out.

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** A part of a page that is already escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | undefined | readonly Part[];

/** Builds a part of a page; inserted values are escaped, unless they are `Markup`. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(texts.map((text, index) => text + markupOf(parts[index])).join(''));
}

function markupOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  return Array.isArray(part) ? part.map(markupOf).join('') : inert(String(part));
}

/** Text that a browser shows and never interprets. */
function inert(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(HIDDEN, (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`)
    .replace(/[&<>"']/g, (character) => MARKUP[character] ?? '');
}

/** A path that stays on this server: one that begins with two slashes would lead to another. */
export function ownPath(path: string): string {
  return /^\/(?![/\\])[\x20-\x7e]*$/.test(path) ? path : '/';
}

/** A whole page. Its styles and its script are files of this server: nothing inline is allowed. */
export function page(title: string, body: Markup, { script }: { readonly script?: string } = {}): string {
  const loads = script === undefined ? undefined : html`<script src="${script}" defer></script>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow, noarchive">
<title>${title}</title>
<link rel="stylesheet" href="/auth/style.css">
${loads}
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`.text;
}
