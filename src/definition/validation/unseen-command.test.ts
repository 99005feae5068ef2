import { describe, expect, test } from 'vitest';
import { hiddenScript } from './unseen-command.ts';

describe('a command whose text does not show which files it runs', () => {
  test.each([
    'cat ci.sh | sh',
    'cat ci.sh | tee log | bash -eu',
    'cat ci.sh |\n sh -s -- --fast',
    'cat chk.py | python3 -',
    'sh $(echo ci.sh)',
    'sh `echo ci.sh`',
    'sh "$SCRIPT"',
    'bash <(cat ci.sh)',
    'bash <<< "$(cat ci.sh)"',
    'sh -c "$(cat ci.sh)"',
    '$(cat ci.sh)',
    '$CMD --all',
    'eval "$(cat ci.sh)"',
    '. "$dir/ci.sh"',
    'git ls-files | xargs sh',
    "find ci -name '*.sh' -exec sh {} ';'",
    "find ci -perm -1 -exec {} ';'",
    'timeout 60 env A=b sh $(echo ci.sh)',
    'npm ci && cat ci.sh | sh',
    'NODE_PATH=lib node chk.js',
    'bash -eo pipefail "$SCRIPT"',
    'python3 -W ignore $(echo chk.py)',
    'timeout -s KILL 60 sh "$SCRIPT"',
    'cat ci.sh | bash -o pipefail',
  ])('%s', (run) => {
    expect(hiddenScript({ run })).toEqual(expect.any(String));
  });

  test('a list of words is checked as well', () => {
    expect(hiddenScript({ argv: ['sh', '-c', 'cat ci.sh | sh'] })).toContain('runs the output of another command');
    expect(hiddenScript({ argv: ['sh', 'ci.sh'] })).toBeUndefined();
  });
});

test.each([
  'npm test',
  'sh ci.sh',
  'sh < ci.sh',
  '. ./ci.sh',
  'node --test | tee log.txt',
  'pytest -q "$FILES"',
  'git diff --name-only | xargs eslint',
  "find . -name '*.tmp' -delete",
  'python3 -m pytest $ARGS',
  "node -e 'process.exit(0)'",
  'test "$(git status --short)" = ""',
  'cat a.txt | grep -q fixed',
  'a || sh ci.sh',
  'PYTHONPATH=src python3 -m pytest',
  '! grep -r TODO src',
])('%s shows it', (run) => {
  expect(hiddenScript({ run })).toBeUndefined();
});
