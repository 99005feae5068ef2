// Owns the list of the pages that tests follow from the first line to the last: their files are written, compiled and
// checked, their commands are given, and what is printed is compared.

const GUIDES = [
  'graphs',
  'flows',
  'yaml',
  'approvals',
  'assumptions',
  'settings',
  'upgrading',
  'signals',
  'outputs',
  'reviews',
  'own-kinds',
  'hostile-agents',
  'skills',
  'protected-data',
  'compensation',
  'undo',
  'server',
  'schedules',
  'triggers',
  'notifications',
  'observability',
];

const pageOf = (name: string): string => `docs/guides/${name}.md`;

/** Those pages, beside the tutorial. */
export const FOLLOWED_PAGES: readonly string[] = GUIDES.map(pageOf);
/** Pages that take longer, and are followed by `npm run proof`. */
export const SLOW_PAGES: readonly string[] = [
  'crash-proof',
  'local-forge',
  'recovery',
  'testing',
  'embedding',
  'github-writes',
  'locking',
  'access',
].map(pageOf);
