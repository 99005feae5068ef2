// Finds the issues and pull requests that a run is about: those it was started for, and those whose numbers it keeps in
// its data.

import { isJsonObject, type Json } from '../../base/json.ts';

/** The data under which a run keeps numbers: of its issue, of its last pull request, and of the pull request of each step. */
export const NUMBER_KEYS = ['issue_number', 'pr_number', 'pr_numbers'] as const;

/** An issue or a pull request that a run is about. */
export interface RunNumber {
  readonly kind: 'issue' | 'pr';
  readonly number: number;
}

/** A search for runs by the numbers of issues and pull requests; with `none`, also runs that never had one. */
export interface NumberQuery {
  readonly issues?: readonly number[];
  readonly prs?: readonly number[];
  readonly none?: true;
}

/** The numbers that a run was started for. */
export function numbersOfOrigin({ issue, pr }: { readonly issue?: number; readonly pr?: number }): RunNumber[] {
  return [...numbered('issue', issue), ...numbered('pr', pr)];
}

/** The numbers in the value of one of these keys; none for any other key. */
export function numbersIn(key: string, value: Json | undefined): RunNumber[] {
  if (key === 'issue_number') return numbered('issue', value);
  if (key === 'pr_number') return numbered('pr', value);
  return key === 'pr_numbers' && isJsonObject(value) ? Object.values(value).flatMap((one) => numbered('pr', one)) : [];
}

function numbered(kind: RunNumber['kind'], value: Json | undefined): RunNumber[] {
  return typeof value === 'number' && Number.isSafeInteger(value) ? [{ kind, number: value }] : [];
}
