import { expect, test } from 'vitest';
import { type AttemptFields, createAttemptRequest } from '../../proof/attempt-request.ts';
import { childInput } from './run.ts';

const input = (fields: Partial<AttemptFields>) => childInput(createAttemptRequest({ kind: 'workflow', ...fields }));

test('a child is given fixed input, or what a function builds from the run', async () => {
  expect(await input({ config: { workflow: 'w', input: { n: 1 } } })).toEqual({ n: 1 });
  expect(await input({ config: { workflow: 'w', input: null } })).toEqual({});
  const built = await input({
    snapshot: { results: { plan: 5 } },
    context: () => ({ book: 'b1' }),
    code: { context: async (ctx) => ({ plan: ctx.results.plan?.output, book: (ctx as unknown as { book: string }).book }) },
  });
  expect(built).toEqual({ plan: 5, book: 'b1' });
});

test('input that is no object is refused', async () => {
  await expect(input({ code: { context: () => 'x' } })).rejects.toMatchObject({
    code: 'CONTEXT_FAILED',
    message: expect.stringContaining('got a string'),
  });
});
