// Owns the dimensions along which the skill refactor looks at code, each with questions that are answered by looking.

/** One way of looking at code. */
interface Dimension {
  readonly name: string;
  /** What to look for, as a question with a visible answer. */
  readonly ask: string;
  /** How to find candidates by a command or a count. */
  readonly find: string;
}

const DIMENSIONS: readonly Dimension[] = [
  {
    name: 'duplication',
    ask: 'Which change must be made in two places? (Same knowledge, not same characters.)',
    find: 'literals, conditions, messages that occur twice; files that change together',
  },
  {
    name: 'size and nesting',
    ask: 'Which function cannot be described in one sentence without "and"?',
    find: 'the longest files and functions, the deepest indentation',
  },
  {
    name: 'names',
    ask: 'Which name makes a reader guess wrong? What has two names?',
    find: 'vague words (manager, data, process), synonyms',
  },
  {
    name: 'place and dependencies',
    ask: 'Which module knows what it should not?',
    find: 'imports by folder: upwards, cycles, core to outside',
  },
  {
    name: 'data and types',
    ask: 'Which states do the types allow that must not occur?',
    find: 'optional fields set together, flags and texts for kinds, casts',
  },
  {
    name: 'state and effects',
    ask: 'What is changed far from where it is read, or cannot be tested without clock, disk or network?',
    find: 'globals, changed arguments, effects inside calculations',
  },
  {
    name: 'errors',
    ask: 'Which failure is swallowed or becomes a default?',
    find: 'empty catch blocks, ignored results, retries without a bound',
  },
  {
    name: 'abstraction',
    ask: 'Which layer or option has one user and hides nothing? Which one is missing?',
    find: 'one implementation, one value, the same switch twice',
  },
  {
    name: 'dead weight',
    ask: 'What is never called, configured or reached?',
    find: 'exports without importers, flags without readers, unused dependencies',
  },
  {
    name: 'tests',
    ask: 'What could break with all tests passing? Which test breaks when only structure changes?',
    find: 'coverage or a deliberate break; mocks of own modules',
  },
];

/** The dimensions as a table. */
export const DIMENSION_TABLE: readonly string[] = [
  '| dimension | ask | find candidates by |',
  '|---|---|---|',
  ...DIMENSIONS.map(({ name, ask, find }) => `| ${name} | ${ask} | ${find} |`),
];

/** How many dimensions there are. */
export const DIMENSION_COUNT: number = DIMENSIONS.length;
