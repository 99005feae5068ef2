// Owns the dimensions along which the skill refactor looks at code: each has a question with a visible answer, and a command or
// a count that finds candidates.

const ROWS: readonly string[] = [
  '| duplication | Which change must be made in two places? (Same knowledge, not same characters.) | literals, conditions, messages that occur twice; files that change together |',
  '| size and nesting | Which function cannot be described in one sentence without "and"? | the longest files and functions, the deepest indentation |',
  '| names | Which name makes a reader guess wrong? What has two names? | vague words (manager, data, process), synonyms |',
  '| place and dependencies | Which module knows what it should not? | imports by folder: upwards, cycles, core to outside |',
  '| data and types | Which states do the types allow that must not occur? | optional fields set together, flags and texts for kinds, casts |',
  '| state and effects | What is changed far from where it is read, or cannot be tested without clock, disk or network? | globals, changed arguments, effects inside calculations |',
  '| errors | Which failure is swallowed or becomes a default? | empty catch blocks, ignored results, retries without a bound |',
  '| abstraction | Which layer or option has one user and hides nothing? Which one is missing? | one implementation, one value, the same switch twice |',
  '| dead weight | What is never called, configured or reached? | exports without importers, flags without readers, unused dependencies |',
  '| tests | What could break with all tests passing? Which test breaks when only structure changes? | coverage or a deliberate break; mocks of own modules |',
];

/** The dimensions as a table. */
export const DIMENSION_TABLE: readonly string[] = ['| dimension | ask | find candidates by |', '|---|---|---|', ...ROWS];

/** How many dimensions there are. */
export const DIMENSION_COUNT: number = ROWS.length;
