import { describe, expect, test } from 'vitest';
import { namedIn, pasteable, pasteableIn } from './caller.ts';

test('a printed command has the --project and --db of this command, and calls Pawl in the same way', () => {
  const named = [
    ['project', 'my shop'],
    ['db', 'runs.db'],
  ] as const;
  expect(pasteable({ env: {}, named: [] }, 'pawl show 1')).toBe('pawl show 1');
  expect(pasteable({ env: { npm_command: 'exec' }, named }, 'pawl show 1')).toBe("npx pawl show 1 --project 'my shop' --db runs.db");
});

describe('a command in quotes inside a text', () => {
  const named = [['db', 'x y.db']] as const;

  test.each([
    ['no run "a"; "pawl runs" lists the runs', `no run "a"; "pawl runs --db 'x y.db'" lists the runs`],
    ['"pawl show 1" or "pawl logs 1"', `"pawl show 1 --db 'x y.db'" or "pawl logs 1 --db 'x y.db'"`],
    ['"pawl resume --help" shows the usage', '"pawl resume --help" shows the usage'],
    ['"pawl show 1 --db z"', '"pawl show 1 --db z"'],
    ['a "pawl" that is no command', 'a "pawl" that is no command'],
  ])('a quoted command in a text is made pasteable: %s', (text, shown) => {
    expect(pasteableIn({ env: {}, named }, text)).toBe(shown);
    expect(pasteableIn({ env: {}, named: [] }, text)).toBe(text);
  });

  test('a quoted command gets the options of a command line that could not be parsed', () => {
    expect(namedIn(['show', '--db', 'a', '--project=b c', '--bad'])).toEqual([
      ['db', 'a'],
      ['project', 'b c'],
    ]);
    expect(namedIn(['show', '--db'])).toEqual([]);
  });
});
