import { expect, expectTypeOf, test } from 'vitest';
import { camel, snake } from './letter-case.ts';

test('the names of files become those of code, and back', () => {
  const written = { event: 'push', base_branch: 'main', assignee_is_bot: true };
  const read = camel(written);
  expect(read).toEqual({ event: 'push', baseBranch: 'main', assigneeIsBot: true });
  expect(snake(read)).toEqual(written);
  expectTypeOf(read).toEqualTypeOf<{ readonly event: string; readonly baseBranch: string; readonly assigneeIsBot: boolean }>();
  expectTypeOf(snake(read).assignee_is_bot).toEqualTypeOf<boolean>();
});

test('a field that may be missing stays so', () => {
  const read = camel<{ readonly cost_usd?: number }>({});
  expect(read).toEqual({});
  expectTypeOf(read).toEqualTypeOf<{ readonly costUsd?: number }>();
});
