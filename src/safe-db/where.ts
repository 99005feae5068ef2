// Owns conditions on rows as data, so that values never become SQL.

import { EngineError } from '../base/error.ts';
import type { Comparison, SqlValue, WhereClause } from '../base/sql-condition.ts';
import { quoted } from './names.ts';

/** A condition as SQL with its values. */
interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

const OPERATORS: Readonly<Record<string, string>> = { not: 'IS NOT', like: 'LIKE', lt: '<', lte: '<=', gt: '>', gte: '>=' };

/** The condition of a where clause; rejects a clause without columns, which would match every row. */
export function toCondition(where: WhereClause): Condition {
  const parts = Object.entries(where).map(([column, value]) => toComparison(column, value));
  if (parts.length === 0)
    throw new EngineError('DATA_PROTECTED', 'DELETE without a condition blocked. Name the rows in where, such as { id: 1 }.', {
      details: { statement: 'DELETE' },
    });
  return { sql: parts.map(({ sql }) => sql).join(' AND '), values: parts.flatMap(({ values }) => values) };
}

function toComparison(column: string, value: SqlValue | Comparison): Condition {
  const name = quoted(column);
  if (!isComparison(value)) return { sql: `${name} IS ?`, values: [value] };
  const entries = Object.entries(value);
  const [[operator, operand] = ['', null]] = entries;
  if (entries.length === 1 && operator === 'in' && Array.isArray(operand))
    return { sql: `${name} IN (${operand.map(() => '?').join(', ')})`, values: operand };
  const sign = OPERATORS[operator];
  if (entries.length !== 1 || sign === undefined)
    throw new EngineError(
      'USAGE',
      `the condition on column "${column}" must be a value or one of ${Object.keys(OPERATORS).join(', ')}, in, such as { gt: 1 }`,
    );
  return { sql: `${name} ${sign} ?`, values: [operand as SqlValue] };
}

function isComparison(value: SqlValue | Comparison): value is Comparison {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}
