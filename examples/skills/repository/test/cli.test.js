import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { main } from '../src/cli.js';

const LOG = '2026-03-02 1h30 writing\n2026-03-02 45m mail\n2026-03-03 30m writing\n';

/** Runs the command on a log, and returns its exit code and what it printed. */
function tally(words, { log = LOG, env = {} } = {}) {
  const file = join(mkdtempSync(join(tmpdir(), 'tally-')), 'work.log');
  writeFileSync(file, log);
  const printed = [];
  const print = (line) => printed.push(line);
  const given = words.map((word) => (word === 'FILE' ? file : word));
  return { code: main(given, { env: { ...env, ...(env.TALLY_FILE ? { TALLY_FILE: file } : {}) }, out: print, err: print }), printed };
}

test('hours per project are the default', () => {
  assert.deepEqual(tally(['FILE']), { code: 0, printed: ['   0h45  mail', '   2h00  writing'] });
});

test('--by day groups by day, --format json is for programs', () => {
  const { printed } = tally(['FILE', '--by', 'day', '--format', 'json']);
  assert.deepEqual(JSON.parse(printed[0]), [
    { name: '2026-03-02', minutes: 135 },
    { name: '2026-03-03', minutes: 30 },
  ]);
});

test('TALLY_FILE names the log when no file is given', () => {
  assert.equal(tally([], { env: { TALLY_FILE: 'yes' } }).code, 0);
});

test('a line that cannot be read ends the command with 1, a wrong option with 2', () => {
  assert.deepEqual(tally(['FILE'], { log: 'today 1h mail\n' }), { code: 1, printed: ['tally: line 1: "today" is not a date'] });
  assert.equal(tally(['FILE', '--by', 'week']).code, 2);
});
