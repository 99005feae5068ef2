// Masks secrets in text that leaves the engine: logs, stored output, streams, error messages.
// It protects against accidents, not against intent: a program can always write a secret in a form not listed here.
//
// - Overlapping matches are masked as one; no part of a matched form is shown.
// - A stream returns the same text as masking the whole, however it is split into chunks, and holds back only text that
//   could still become a secret.

import { SECRET_LENGTH_MIN, secretForms } from './secret-forms.ts';

/** Masks secrets in a text that arrives in chunks. */
export interface RedactorStream {
  /** Adds a chunk and returns the text that can be shown now. */
  push(chunk: string): string;
  /** Returns the text that was held back. */
  end(): string;
}

/** Masks a fixed set of secrets. */
export interface Redactor {
  text(text: string): string;
  stream(): RedactorStream;
}

interface LabelledForm {
  readonly form: string;
  readonly label: string;
}

interface Match {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

interface SearchResult {
  /** The longest match at each position. */
  readonly matches: readonly Match[];
  /** The position from which the rest of the text may be the beginning of a match; the text's length if there is none. */
  readonly openFrom: number;
}

type Search = (text: string) => SearchResult;

interface MaskedText {
  readonly shown: string;
  /** The text that waits for the next chunk. */
  readonly held: string;
  /** How many characters at the start of `held` are masked already, their label shown. */
  readonly heldMasked: number;
}

const EVERYDAY_WORDS = new Set(
  'changeme default development disabled enabled example localhost password production secret staging testing undefined'.split(' '),
);

/** Why a value is not masked; undefined if it is. Masking a short or common value would hide too much, and so reveal it. */
export function whyNotMasked(value: string): string | undefined {
  if (value.trim().length < SECRET_LENGTH_MIN) return `shorter than ${SECRET_LENGTH_MIN} characters`;
  return EVERYDAY_WORDS.has(value.trim().toLowerCase()) ? 'an everyday word' : undefined;
}

/** Builds a redactor from secrets by name, each with one or more values; a mask reads `[redacted:NAME]`. */
export function createRedactor(secrets: Readonly<Record<string, string | readonly string[]>>): Redactor {
  const named = Object.entries(secrets).flatMap(([name, values]) => [values].flat().map((value) => ({ name, value })));
  const masked = named.filter(({ value }) => whyNotMasked(value) === undefined);
  const search = createSearch(
    masked.flatMap(({ name, value }) => secretForms(value).map((form) => ({ form: fold(form), label: `[redacted:${name}]` }))),
  );
  return {
    text: (text) => mask(search, { text, masked: 0, final: true }).shown,
    stream: () => createStream(search),
  };
}

/** One regular expression finds where a form may begin; all forms together are too long for an expression. */
function createSearch(forms: readonly LabelledForm[]): Search {
  if (forms.length === 0) return (text) => ({ matches: [], openFrom: text.length });
  const longestFirst = forms.toSorted((a, b) => b.form.length - a.form.length);
  const byStart = Map.groupBy(longestFirst, ({ form }) => form.slice(0, SECRET_LENGTH_MIN));
  const starts = [...byStart.keys()];
  // A lookahead consumes nothing, so matches that overlap are all found.
  const pattern = new RegExp(`(?=(${starts.map((start) => start.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|')}))`, 'g');
  return (text) => {
    const folded = fold(text);
    const matches: Match[] = [];
    let openFrom = text.length;
    for (const { index: start, 1: found = '' } of folded.matchAll(pattern)) {
      const candidates = byStart.get(found) ?? [];
      const match = candidates.find(({ form }) => folded.startsWith(form, start));
      if (match !== undefined) matches.push({ start, end: start + match.form.length, label: match.label });
      if (start < openFrom && candidates.some(({ form }) => isCutOff(form, folded, start))) openFrom = start;
    }
    // A rest shorter than the pattern can only be the beginning of a match.
    for (let at = Math.max(text.length - SECRET_LENGTH_MIN + 1, 0); at < openFrom; at += 1)
      if (starts.some((start) => start.startsWith(folded.slice(at)))) openFrom = at;
    return { matches, openFrom };
  };
}

function isCutOff(form: string, text: string, start: number): boolean {
  return form.length > text.length - start && form.startsWith(text.slice(start));
}

/** Lower case for A to Z only, so that every position stays the same. */
function fold(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function createStream(search: Search): RedactorStream {
  let held = '';
  let heldMasked = 0;
  const advance = (chunk: string, final: boolean): string => {
    const result = mask(search, { text: held + chunk, masked: heldMasked, final });
    ({ held, heldMasked } = result);
    return result.shown;
  };
  return { push: (chunk) => advance(chunk, false), end: () => advance('', true) };
}

interface Piece {
  readonly text: string;
  readonly masked: number;
  readonly final: boolean;
}

function mask(search: Search, piece: Piece): MaskedText {
  const { text, final } = piece;
  const { matches, openFrom } = search(text);
  const cut = final ? text.length : openFrom;
  let shown = '';
  let done = piece.masked;
  for (const { start, end, label } of matches) {
    if (start >= cut && start >= done) break;
    // A match that begins inside the previous one extends its mask.
    if (start >= done) shown += text.slice(done, start) + label;
    done = Math.max(done, end);
  }
  if (done < cut) return { shown: shown + text.slice(done, cut), held: text.slice(cut), heldMasked: 0 };
  return { shown, held: text.slice(cut), heldMasked: done - cut };
}
