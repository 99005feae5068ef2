import { expect, test } from 'vitest';
import { pasteable } from './caller.ts';

test('a printed command names the project and the database that this one was given, and is called as this one was', () => {
  const named = [
    ['project', 'my shop'],
    ['db', 'runs.db'],
  ] as const;
  expect(pasteable({ env: {}, named: [] }, 'pawl show 1')).toBe('pawl show 1');
  expect(pasteable({ env: { npm_command: 'exec' }, named }, 'pawl show 1')).toBe("npx pawl show 1 --project 'my shop' --db runs.db");
});
