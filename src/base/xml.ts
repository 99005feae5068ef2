// Writes XML that agents read: elements, attributes, and commands that run as they are printed. All other content is
// escaped, so that it can neither close an element nor pass for one.

/** The attributes of an element; one that is undefined is left out. */
export type XmlAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** An element with text content, on one line. */
export function textElement(name: string, attributes: XmlAttributes, text: string): string {
  return `${openTag(name, attributes)}${escapeXml(text)}</${name}>`;
}

/** An element whose content is lines of XML. */
export function nestedElement(name: string, attributes: XmlAttributes, inside: readonly string[]): string {
  return [openTag(name, attributes), ...inside, `</${name}>`].join('\n');
}

/** An element with a command. The command is not escaped, so that it can be copied and run. */
export function commandElement(name: string, command: string, attributes: XmlAttributes = {}): string {
  const text = writableText(command);
  if (!/[&<>]/.test(text)) return `${openTag(name, attributes)}${text}</${name}>`;
  return `${openTag(name, attributes)}<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]></${name}>`;
}

function openTag(name: string, attributes: XmlAttributes): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escapeXml(String(value)).replaceAll('"', '&quot;').replace(/\s+/g, ' ')}"`],
  );
  return `<${name}${written.join('')}>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes a string for XML, without the characters that XML cannot contain. Quotes stay: agents pay for every character. */
export function escapeXml(text: string): string {
  return writableText(text).replace(/[&<>]/g, (letter) => ESCAPES[letter] as string);
}

function writableText(text: string): string {
  return text
    .replace(/[^\P{Cc}\t\n]/gu, '')
    .toWellFormed()
    .replace(/[\ufffe\uffff]/g, '\ufffd');
}
