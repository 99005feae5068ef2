// Owns finding many known strings in a text in one pass, whose cost does not grow with how many there are: a hash
// rolls over the text, and only where it equals the hash of a beginning are the strings themselves compared.
// A regular expression of all of them would grow past what the engine compiles well.

/** A string to find and what to show in its place. */
export interface IndexedForm {
  readonly form: string;
  readonly label: string;
}

/** One occurrence; `end` is exclusive. */
export interface Find {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/** Finds known strings, ASCII letters in either case. */
export interface FormIndex {
  /**
   * Every occurrence by its start, the longest one at each; and the first position from which the text to its end
   * could be the beginning of a longer occurrence (the length of the text if there is none).
   */
  search(text: string): { readonly finds: readonly Find[]; readonly openFrom: number };
}

const BASE = 0x01000193;
const FILTER_BITS = 0xffff;

interface Tables {
  /** How many characters the hash covers: the length of the shortest form. */
  readonly width: number;
  /** The weight of the character that leaves the hash. */
  readonly leaving: number;
  readonly filter: Uint8Array;
  readonly byHash: ReadonlyMap<number, readonly IndexedForm[]>;
  readonly beginnings: ReadonlySet<string>;
}

/** Prepares the search; forms are at least one character long. */
export function createFormIndex(forms: readonly IndexedForm[]): FormIndex {
  if (forms.length === 0) return { search: (text) => ({ finds: [], openFrom: text.length }) };
  const tables = buildTables(forms.map(({ form, label }) => ({ form: fold(form), label })));
  return { search: (text) => search(tables, text) };
}

function buildTables(forms: readonly IndexedForm[]): Tables {
  const width = Math.min(...forms.map(({ form }) => form.length));
  const filter = new Uint8Array(FILTER_BITS + 1);
  const byHash = new Map<number, IndexedForm[]>();
  const beginnings = new Set<string>();
  for (const entry of [...forms].sort((a, b) => b.form.length - a.form.length)) {
    const hash = hashOf(entry.form, width);
    filter[hash & FILTER_BITS] = 1;
    byHash.set(hash, [...(byHash.get(hash) ?? []), entry]);
    for (let length = 1; length < width; length += 1) beginnings.add(entry.form.slice(0, length));
  }
  let leaving = 1;
  for (let step = 1; step < width; step += 1) leaving = Math.imul(leaving, BASE);
  return { width, leaving, filter, byHash, beginnings };
}

function search(tables: Tables, text: string): { finds: Find[]; openFrom: number } {
  const { width, leaving, filter } = tables;
  const finds: Find[] = [];
  let openFrom = text.length;
  let hash = hashOf(text, Math.min(width, text.length));
  for (let start = 0; start + width <= text.length; start += 1) {
    if (filter[hash & FILTER_BITS] === 1) {
      const { find, open } = compareAt(tables.byHash.get(hash), { text, start });
      if (find !== undefined) finds.push(find);
      if (open && openFrom === text.length) openFrom = start;
    }
    const next = foldCode(text.charCodeAt(start + width));
    hash = (Math.imul(hash - Math.imul(foldCode(text.charCodeAt(start)), leaving), BASE) + next) | 0;
  }
  return { finds, openFrom: Math.min(openFrom, shortBeginning(tables, text)) };
}

function compareAt(candidates: readonly IndexedForm[] | undefined, at: { text: string; start: number }) {
  let find: Find | undefined;
  let open = false;
  for (const { form, label } of candidates ?? []) {
    const length = Math.min(form.length, at.text.length - at.start);
    if (!equalFolded(at, form, length)) continue;
    if (length < form.length) open = true;
    else find ??= { start: at.start, end: at.start + length, label };
  }
  return { find, open };
}

function shortBeginning(tables: Tables, text: string): number {
  for (let start = Math.max(text.length - tables.width + 1, 0); start < text.length; start += 1) {
    if (tables.beginnings.has(fold(text.slice(start)))) return start;
  }
  return text.length;
}

function equalFolded(at: { text: string; start: number }, form: string, length: number): boolean {
  for (let index = 0; index < length; index += 1) {
    if (foldCode(at.text.charCodeAt(at.start + index)) !== form.charCodeAt(index)) return false;
  }
  return true;
}

function hashOf(text: string, width: number): number {
  let hash = 0;
  for (let index = 0; index < width; index += 1) hash = (Math.imul(hash, BASE) + foldCode(text.charCodeAt(index))) | 0;
  return hash;
}

function fold(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function foldCode(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}
