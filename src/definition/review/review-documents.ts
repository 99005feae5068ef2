// Reads the documents of a review: the items that it was split into, and the verdicts of the reviewers of a round.
// `review.ts` decides what follows from a round.

import { messageOf } from '../../base/error.ts';
import { isJsonObject, type Json, jsonText } from '../../base/json.ts';
import { type ItemVerdict, itemFaults, type LateFinding, type ReviewItem, type ReviewRound, SEVERITIES } from './review.ts';

/** A document as it was read, or what is wrong with it. */
type ReadDocument<Value> = { readonly value: Value } | { readonly faults: readonly string[] };

/** Reads `{ "items": [{ "id", "severity", "question" }] }`. */
export function readReviewItems(path: string, text: string | undefined): ReadDocument<readonly ReviewItem[]> {
  const { rows, faults } = rowsIn(path, text, { field: 'items' });
  if (faults.length > 0) return { faults };
  const items = rows.map(
    ({ id, severity, question }) => ({ id: textOf(id), severity: textOf(severity), question: textOf(question) }) as ReviewItem,
  );
  const wrong = itemFaults(items);
  return wrong.length > 0 ? { faults: wrong.map((fault) => `${path}: ${fault}`) } : { value: items };
}

/** Reads `{ "verdicts": [{ "id", "status", "evidence" }], "findings": [{ "severity", "text" }] }`. */
export function readReviewRound(path: string, text: string | undefined): ReadDocument<ReviewRound> {
  const verdicts = rowsIn(path, text, { field: 'verdicts' });
  const findings = rowsIn(path, text, { field: 'findings', isOptional: true });
  const faults = [...verdicts.faults, ...findings.faults];
  if (faults.length > 0) return { faults: [...new Set(faults)] };
  return {
    value: {
      verdicts: verdicts.rows.map(
        ({ id, status, evidence }) => ({ id: textOf(id), status: textOf(status), evidence: textOf(evidence) }) as ItemVerdict,
      ),
      findings: readFindings(findings.rows as readonly Json[]),
    },
  };
}

/** Findings as written in a document or a report. None is dropped: a malformed one gets no severity, which is a fault. */
export function readFindings(value: Json | undefined): LateFinding[] {
  if (value === undefined || value === null) return [];
  const rows: readonly Json[] = Array.isArray(value) ? value : [value];
  return rows.map((row) => {
    const { severity, text } = isJsonObject(row) ? row : { severity: '', text: jsonText(row) };
    return { severity: textOf(severity), text: textOf(text) } as LateFinding;
  });
}

/** What is wrong with findings themselves. */
export function findingFaults(findings: readonly LateFinding[]): string[] {
  return findings.flatMap(({ severity, text }) => [
    ...(SEVERITIES.includes(severity) ? [] : [`the finding "${text}" needs a severity: ${SEVERITIES.join(', ')}`]),
    ...(text.trim() === '' ? ['a finding has no text'] : []),
  ]);
}

type Row = { readonly [name: string]: Json | undefined };

interface Rows {
  readonly rows: readonly Row[];
  readonly faults: readonly string[];
}

const NO_ROWS: Rows = { rows: [], faults: [] };

interface RowsIn {
  readonly field: string;
  readonly isOptional?: boolean;
}

function rowsIn(path: string, text: string | undefined, { field, isOptional = false }: RowsIn): Rows {
  const none = (fault: string): Rows => ({ rows: [], faults: [`${path}: ${fault}`] });
  if (text === undefined) return none('it is missing; write it');
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    return none(`it is not JSON: ${messageOf(error)}`);
  }
  const list = isJsonObject(value) ? value[field] : undefined;
  if (list === undefined && isOptional) return NO_ROWS;
  if (!Array.isArray(list) || !list.every((row) => isJsonObject(row as Json))) return none(`"${field}" must be a list of objects`);
  return { rows: list as readonly Row[], faults: [] };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
