// Owns the masking of secrets in text that leaves the engine: logs, stored output, streams, error messages.
// It protects from accident, not from intent: a program can always spell a secret in a way not known here.
//
// R1. Overlapping finds are masked as one; no part of a found spelling is ever let through.
// R2. A stream gives the same text as the whole would, however it is cut into chunks, and holds back only what
//     could still become a secret.

import { createFormIndex, type FormIndex } from './form-index.ts';
import { SECRET_LENGTH_MIN, secretForms } from './secret-forms.ts';

/** Masks secrets in a text that comes in pieces. */
export interface RedactorStream {
  /** Takes the next piece and gives what can be shown by now. */
  push(chunk: string): string;
  /** Gives what was still held back. */
  end(): string;
}

/** Masks a fixed set of secrets. */
export interface Redactor {
  text(text: string): string;
  stream(): RedactorStream;
  /** Names of secrets that are not masked because they are shorter than 6 characters; warn about them. */
  readonly tooShort: string[];
  /** Names of secrets that are not masked because their value is an everyday word; warn about them. */
  readonly tooCommon: string[];
}

interface Masked {
  readonly shown: string;
  /** What must wait for the next piece. */
  readonly held: string;
  /** How much at the start of `held` is masked already, its label shown. */
  readonly heldMasked: number;
}

const EVERYDAY_WORDS = new Set(
  'changeme default development disabled enabled example localhost password production secret staging testing undefined'.split(' '),
);

/** Builds a redactor from secrets by name; a mask reads `[redacted:NAME]`. */
export function createRedactor(secrets: Readonly<Record<string, string>>): Redactor {
  const named = Object.entries(secrets).filter(([, value]) => value !== '');
  const tooShort = named.filter(([, value]) => value.trim().length < SECRET_LENGTH_MIN);
  const tooCommon = named.filter(([, value]) => EVERYDAY_WORDS.has(value.trim().toLowerCase()));
  const masked = named.filter((entry) => !tooShort.includes(entry) && !tooCommon.includes(entry));
  const index = createFormIndex(
    masked.flatMap(([name, value]) => secretForms(value).map((form) => ({ form, label: `[redacted:${name}]` }))),
  );
  return {
    text: (text) => mask(index, { text, masked: 0, final: true }).shown,
    stream: () => createStream(index),
    tooShort: tooShort.map(([name]) => name),
    tooCommon: tooCommon.map(([name]) => name),
  };
}

function createStream(index: FormIndex): RedactorStream {
  let held = '';
  let heldMasked = 0;
  const advance = (chunk: string, final: boolean): string => {
    const result = mask(index, { text: held + chunk, masked: heldMasked, final });
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

function mask(index: FormIndex, piece: Piece): Masked {
  const { text, final } = piece;
  const { finds, openFrom } = index.search(text);
  const cut = final ? text.length : openFrom;
  let shown = '';
  let done = piece.masked;
  for (const find of finds) {
    if (find.start >= cut && find.start >= done) break;
    // A find that begins inside the one before continues its mask.
    if (find.start >= done) shown += text.slice(done, find.start) + find.label;
    done = Math.max(done, find.end);
  }
  if (done < cut) return { shown: shown + text.slice(done, cut), held: text.slice(cut), heldMasked: 0 };
  return { shown, held: text.slice(cut), heldMasked: done - cut };
}
