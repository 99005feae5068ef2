// Owns untrusted text: of agents, issues, files and programs. Escape sequences of terminals are removed, and characters that
// hide or reorder others are written out as their code.

const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])/g;
const ACTING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Text without sequences for terminals, with hiding and reordering characters written out as their code. */
export function plainText(text: string): string {
  return withoutOverwritten(text.replaceAll(ESCAPES, '')).replaceAll(ACTING, codeOf);
}

/** The same, on one line. */
export function plainLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, ' ').trim();
}

/** Of a line that a program overwrote with carriage returns, only the last text is kept. */
function withoutOverwritten(text: string): string {
  return text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll(/^.*\r(?=.)/gm, '') : text;
}

function codeOf(character: string): string {
  return `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`;
}
