// Errors of an application that cannot be read: a getter or a trap of a proxy throws in turn. They fail the step, as any
// other error does, and the engine keeps driving its runs.

import { expect, test } from 'vitest';
import { defineWorkflow, step, workflow } from '../../src/index.ts';

const refuse = () => {
  throw new Error('no');
};
const UNREADABLE = {
  message: Object.defineProperty(new Error('x'), 'message', { get: refuse }),
  code: Object.defineProperty(new Error('x'), 'code', { get: refuse }),
  proxy: new Proxy(new Error('x'), { get: refuse }),
};
const throwing = (name: string) => () => {
  throw UNREADABLE[name as keyof typeof UNREADABLE];
};

test.each(Object.keys(UNREADABLE))('an error whose %s cannot be read fails the step that throws it', async (name) => {
  const fail = throwing(name);
  const results = await Promise.all([
    defineWorkflow({ name: 'handler', steps: { a: { handler: fail, next: null } } }).run(),
    defineWorkflow({
      name: 'condition',
      steps: { a: { handler: () => 1, postconditions: [{ name: 'holds', check: fail, error: 'it does not' }], next: null } },
    }).run(),
    workflow('flow', {}, function* () {
      yield* step('a').task(fail);
    }).run(),
    workflow('between', {}, function* () {
      yield* step('a').task(() => 1);
      fail();
    }).run(),
  ]);
  for (const result of results) expect([result.success, result.error]).toEqual([false, expect.stringContaining('cannot be read')]);
});
