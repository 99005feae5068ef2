import { describe, expect, expectTypeOf, test } from 'vitest';
import { arg } from '../../definition/param/arg.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { compileGraph } from './graph.ts';

describe('the types of a graph', () => {
  test('parameters have the types of their descriptions in handlers', () => {
    const compiled = compileGraph(
      {
        name: 'typed',
        params: {
          mode: arg({ choices: ['quick', 'full'], default: 'full' }),
          rounds: arg({ min: 1, max: 5, required: true }),
          note: arg({ type: 'string' }),
        },
        steps: [
          {
            id: 'a',
            handler: (ctx) => {
              expectTypeOf(ctx.workflowParams).toEqualTypeOf<{
                readonly mode: 'quick' | 'full';
                readonly rounds: number;
                readonly note: string | undefined;
              }>();
              return ctx.workflowParams.mode;
            },
            next: null,
          },
        ],
      },
      REGISTRY,
    );
    expect(Object.keys(compiled.definition.params)).toEqual(['mode', 'rounds', 'note']);
  });

  test('the application context is inferred from the function that builds it', async () => {
    const compiled = compileGraph(
      {
        name: 'typed',
        params: { id: arg({ type: 'string', required: true }) },
        context: async (run) => ({ book: { title: run.params.id } }),
        steps: [{ id: 'a', preconditions: [{ name: 'titled', check: (ctx) => ctx.book.title !== '', error: 'no title' }], next: null }],
      },
      REGISTRY,
    );
    const ctx = await compiled.context?.({ runId: 'r', startedAt: 0, workflow: 'typed', params: { id: 'b1' }, databases: {} });
    expect(compiled.code.get('a')?.preconditions[0]?.(ctx as never)).toBe(true);
  });

  test('a name that the application context lacks does not compile', () => {
    compileGraph<{ readonly book: string }>(
      {
        name: 'typed',
        // @ts-expect-error the context has a book and no shelf
        steps: [{ id: 'a', preconditions: [{ name: 'x', check: (ctx) => ctx.shelf !== '', error: 'x' }], next: null }],
      },
      REGISTRY,
    );
    // @ts-expect-error a step has an id or a name
    expect(() => compileGraph({ name: 'typed', steps: [{ next: null }] }, REGISTRY)).toThrow('step 1 must have an id');
    // @ts-expect-error the two spellings of a workflow do not mix
    expect(compileGraph({ type: 'typed', title: 'T', steps: [{ id: 'a', next: null }] }, REGISTRY).definition.name).toBe('typed');
  });
});
