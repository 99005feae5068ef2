import { expect, test } from 'vitest';
import { invariantViolations } from './invariants.ts';

const rule = (path: string, label: string) => ({ path, text: `// Owns it.\n//\n// ${label}. It holds.\n\nconst a = 1;\n` });
const cite = (label: string) => ({ path: 'src/a.test.ts', text: `test('${label}: it holds', () => {});\n` });

test('a number of its own that a test cites is fine', () => {
  expect(invariantViolations([rule('src/a.ts', 'Z1'), cite('Z1')])).toEqual([]);
});

test('two rules with one number are found', () => {
  expect(invariantViolations([rule('src/a.ts', 'Z1'), rule('src/b.ts', 'Z1'), cite('Z1')])).toEqual([
    'Z1 is defined in src/a.ts and src/b.ts; give each rule a number of its own',
  ]);
});

test('a number that nothing cites is found', () => {
  expect(invariantViolations([rule('src/a.ts', 'Z1')])).toEqual(['src/a.ts numbers Z1, which nothing cites; cite it or write a dash']);
});

test('in the engine, a test or an assertion cites each number; a comment or a page is not enough', () => {
  const comment = { path: 'src/engine/b.ts', text: '// Follows Z1, Z2.\n' };
  const rules = [rule('src/engine/a.ts', 'Z1'), rule('src/engine/c.ts', 'Z2'), comment];
  expect(invariantViolations([...rules, cite(['Z1', 'Z2'].join(', '))])).toEqual([]);
  expect(invariantViolations([...rules, cite('Z1')], ['Z2 holds.'])).toEqual([
    'src/engine/c.ts numbers Z2, which no test and no assertion cites; name it in the title of a test',
  ]);
});

test('a citation of a number that no rule has is found, unless it is a case', () => {
  expect(invariantViolations([cite('Z2')])).toEqual(['src/a.test.ts cites Z2, which is the number of no rule']);
  expect(invariantViolations([cite('Z12')], [], new Set(['Z12']))).toEqual([]);
});
