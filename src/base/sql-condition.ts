// Owns values and conditions of SQL as data: how programs and functions of workflows say which rows they mean.

/** A value of a column. */
export type SqlValue = null | number | bigint | string | Uint8Array;

/** How a column is compared, other than with `=`. */
export type Comparison =
  | { readonly not: SqlValue }
  | { readonly in: readonly SqlValue[] }
  | { readonly like: string }
  | { readonly lt: SqlValue }
  | { readonly lte: SqlValue }
  | { readonly gt: SqlValue }
  | { readonly gte: SqlValue };

/** Which rows: every column must match. `{ status: 'draft', id: { in: [1, 2] } }` */
export type WhereClause = { readonly [column: string]: SqlValue | Comparison };
