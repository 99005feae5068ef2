// Owns the reference texts of Pawl: six conventions for work and reviews, and the formats of documents that skills exchange.
// Steps embed them, so that no copies can become outdated.

import { digestText } from '../../base/digest.ts';
import { EngineError } from '../../base/error.ts';
import { didYouMean } from '../../base/suggest.ts';
import { formatResource } from '../blocks/lists.ts';
import { DIFF_FORMAT, DOCUMENTATION, EXPLORE_OUTPUT_FORMAT, INTENT_MARKERS, PLAN_FORMAT, SEVERITY, STRUCTURAL, TEMPORAL } from './texts.ts';

const CONVENTIONS = {
  structural: STRUCTURAL,
  temporal: TEMPORAL,
  severity: SEVERITY,
  'intent-markers': INTENT_MARKERS,
  documentation: DOCUMENTATION,
  'diff-format': DIFF_FORMAT,
} as const;

const FORMATS = { 'plan-format': PLAN_FORMAT, 'explore-output-format': EXPLORE_OUTPUT_FORMAT } as const;

/** The name of a convention of Pawl. */
export type ConventionName = keyof typeof CONVENTIONS;

/** The name of a format of Pawl. */
export type FormatName = keyof typeof FORMATS;

/** A reference text. */
export interface ReferenceText {
  readonly name: string;
  readonly kind: 'convention' | 'format';
  readonly text: string;
  /** The first 12 digits of the SHA-256 of the text, which identify its version. */
  readonly digest: string;
}

const DIGITS = 12;

/** The digest that identifies the version of a text. */
export function textDigest(text: string): string {
  return digestText(text.trim()).slice(0, DIGITS);
}

/** All reference texts: the conventions, then the formats. */
export function referenceTexts(): ReferenceText[] {
  const rows = (kind: ReferenceText['kind'], texts: Readonly<Record<string, string>>): ReferenceText[] =>
    Object.entries(texts).map(([name, text]) => ({ name, kind, text, digest: textDigest(text) }));
  return [...rows('convention', CONVENTIONS), ...rows('format', FORMATS)];
}

/** The reference text with a name. Throws RESOURCE_UNKNOWN if there is none. */
export function referenceText(name: string): ReferenceText {
  const found = referenceTexts().find((text) => text.name === name);
  if (found !== undefined) return found;
  throw unknownResource('resource', name, [...Object.keys(CONVENTIONS), ...Object.keys(FORMATS)]);
}

/** The error for an unknown name. */
export function unknownResource(kind: string, name: string, known: readonly string[]): EngineError {
  const there = known.length === 0 ? 'there are none here' : `there are ${known.join(', ')}`;
  return new EngineError('RESOURCE_UNKNOWN', `there is no ${kind} "${name}"${didYouMean(name, known)}; ${there}`, { details: { name } });
}

/** The text of a convention. */
export function getConvention(name: ConventionName): string {
  if (Object.hasOwn(CONVENTIONS, name)) return CONVENTIONS[name];
  throw unknownResource('convention', name, Object.keys(CONVENTIONS));
}

/** The text of a format. */
export function getFormat(name: FormatName): string {
  if (Object.hasOwn(FORMATS, name)) return FORMATS[name];
  throw unknownResource('format', name, Object.keys(FORMATS));
}

/** `<resource>`: a complete convention or format, with the digest that `pawl skill lint` needs to find outdated copies. */
export function formatReference(name: ConventionName | FormatName): string {
  const { text, digest } = referenceText(name);
  return formatResource(name, { content: text.trimEnd(), digest });
}
