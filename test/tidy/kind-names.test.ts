import { describe, expect, test } from 'vitest';
import { kindNames, kindNameViolations, MAY_NAME } from './kind-names.ts';
import { parseSource } from './source.ts';

const names = kindNames([
  ...['agent', 'command', 'gate', 'human', 'task', 'webhook'].map((kind) => `src/kinds/${kind}/declare.ts`),
  ...['command', 'file-exists', 'ci-status'].map((check) => `src/kinds/gate/checks/${check}/declare.ts`),
]);
const violations = (text: string, path = 'src/steps/some-file.ts') => kindNameViolations(parseSource(path, text), names);

describe('a kind or a check is named in its folder and in the registry only', () => {
  test('the names are those of the folders', () => {
    expect([[...names.kinds].slice(0, 2), [...names.checks]]).toEqual([
      ['agent', 'command'],
      ['command', 'file_exists', 'ci_status'],
    ]);
  });

  test.each([
    ['a comparison', "if (step.kind === 'agent') work();"],
    ['a comparison of something that may be missing', "if (step?.kind !== 'gate') work();"],
    ['a case', "switch (kind) { case 'task': work(); }"],
    ['a list', "const WORKS = new Set(['agent', 'human']);"],
    ['a table', "const AGAIN = { agent: 'a', gate: 'b', human: 'c' };"],
    ['a check by its name', "const first = 'file_exists';"],
    ['a comparison with a check', "if (check.check === 'command') work();"],
  ])('the name of a kind or a check in %s is rejected outside its folder and the registry', (_what, text) => {
    expect(violations(text)).toEqual([expect.stringContaining('src/steps/some-file.ts:1 decides by the name')]);
  });

  test.each([
    ['a kind that the kernel leads', "if (step.kind === 'human') ask();"],
    ['another word that is spelt so', "const fields = ['command', 'cmd', 'input']; if (role === 'agent') work();"],
    ['an object of few fields', 'note({ task: 1, agent: 2 });'],
    ['a value of another type', "const work = { kind: 'task', config: {} };"],
  ])('%s is allowed outside the folders of kinds and the registry', (_what, text) => {
    expect(violations(text)).toEqual([]);
  });

  test('the folders of kinds, tests and the shipped tests are free', () => {
    const text = "if (step.kind === 'agent') work();";
    for (const path of ['src/kinds/agent/run.ts', 'src/kinds/registry.ts', 'src/steps/a.test.ts', 'src/proof/a.ts', 'test/a.ts'])
      expect(violations(text, path)).toEqual([]);
  });

  test('a file that may name one has to', () => {
    const [path = ''] = Object.keys(MAY_NAME);
    expect(violations("if (step.kind === 'agent') work();", path)).toEqual([]);
    expect(violations('work();', path)).toEqual([expect.stringContaining('names no kind any more')]);
  });
});
