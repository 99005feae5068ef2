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
  'custom-kinds',
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
  'crash-proof',
  'local-forge',
  'recovery',
  'testing',
  'embedding',
  'github-writes',
  'locking',
  'access',
];

/** Those pages, beside the tutorial. `npm run proof` follows them: it takes a minute. */
export const FOLLOWED_PAGES: readonly string[] = GUIDES.map((name) => `docs/guides/${name}.md`);
