// Owns values and conditions of SQL as data, with which programs and functions of workflows select rows.

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

/** Selects the rows in which every column matches: `{ status: 'draft', id: { in: [1, 2] } }`. */
export type WhereClause = { readonly [column: string]: SqlValue | Comparison };
