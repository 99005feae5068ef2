// Owns the filters for text.

import type { Json } from '../base/json.ts';
import { describe } from './data.ts';
import type { Filter } from './filters.ts';
import type { Meter } from './meter.ts';
import { matchesPattern } from './pattern.ts';
import { splitText } from './text-search.ts';

/** The filters for text, by name. */
export const TEXT_FILTERS: Readonly<Record<string, Filter>> = {
  lower: plain('lower', (text) => text.toLowerCase()),
  upper: plain('upper', (text) => text.toUpperCase()),
  trim: plain('trim', (text) => text.trim()),
  starts_with: withPart("starts_with('x')", (text, part) => text.startsWith(part)),
  ends_with: withPart("ends_with('x')", (text, part) => text.endsWith(part)),
  matches: withPart("matches('^v[0-9]+')", matchesPattern),
  split: withPart("split(',')", splitText),
  replace: { arity: [2, 2], usage: "replace('old', 'new')", apply: replace },
};

function plain(usage: string, change: (text: string) => string): Filter {
  return {
    arity: [0, 0],
    usage,
    apply(value, _, meter) {
      const text = textIn(value, usage, meter);
      meter.reserveText(text.length);
      return change(text);
    },
  };
}

function withPart(usage: string, compute: (text: string, part: string, meter: Meter) => Json): Filter {
  return {
    arity: [1, 1],
    usage,
    apply(value, [part], meter) {
      const text = textIn(value, usage, meter);
      const wanted = textIn(part as Json, `the argument of ${usage}`, meter);
      meter.spendText(wanted.length);
      return compute(text, wanted, meter);
    },
  };
}

function replace(value: Json, args: readonly Json[], meter: Meter): string {
  const text = textIn(value, 'replace', meter);
  const [from, to] = args.map((arg) => textIn(arg, 'an argument of replace', meter)) as [string, string];
  if (from === '') meter.fail('replace needs some text to look for');
  const parts = splitText(text, from, meter);
  meter.reserveText(text.length + (parts.length - 1) * (to.length - from.length));
  return parts.join(to);
}

function textIn(value: Json, filter: string, meter: Meter): string {
  return typeof value === 'string' ? value : meter.fail(`${filter} needs text, but got ${describe(value, meter)}`);
}
