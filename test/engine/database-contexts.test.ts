// What functions of a step see of its protected databases: as they are, or through objects of the application around them.

import { expect, onTestFinished, test } from 'vitest';
import type { CompiledWorkflow, ContextSource } from '../../src/definition/code.ts';
import { createEngine, defineWorkflow } from '../../src/index.ts';
import { createBook, dump, write } from '../safe-db/book.ts';
import { tempFolder } from '../temp-folder.ts';

async function runOn(file: string, workflow: { readonly compiled: CompiledWorkflow }) {
  const engine = await createEngine({ db: ':memory:', workflows: [workflow], databases: { book: { path: file } }, cwd: tempFolder() });
  onTestFinished(() => engine.close({ abort: true }));
  const run = await engine.start(workflow.compiled.definition.name);
  return run.wait('idle');
}

const named = ({ databases: { book } }: ContextSource<object>) => ({
  db: { titleOf: (id: number) => book?.get('SELECT title FROM books WHERE id = ?', [id])?.title },
});
const known = ({ databases }: ContextSource<object>) => ({ known: Object.keys(databases) });

test('a context builds its own `db` around the copy of the step, so that its conditions see what the step wrote', async () => {
  const file = createBook();
  const edit = defineWorkflow({
    name: 'edit',
    context: named,
    steps: {
      one: {
        databases: ['book'],
        preconditions: [{ name: 'old', check: (ctx) => ctx.db.titleOf(1) === 'Alpha', error: 'not as it was' }],
        handler: (ctx) => ctx.databases.book?.run("UPDATE books SET title = 'Mine' WHERE id = 1").changes,
        postconditions: [{ name: 'new', check: (ctx) => ctx.db.titleOf(1) === 'Mine', error: 'the title is old' }],
        next: null,
      },
    },
  });
  expect(await runOn(file, edit)).toMatchObject({ status: 'completed', output: 1 });
  expect(dump(file).books).toContainEqual({ id: 1, isbn: 'a', title: 'Mine' });
});

test.each([
  ['db', () => ({ db: 'mine' }), 'build it from the `databases` that the context is given, or rename it'],
  ['databases', () => ({ databases: 'mine' }), 'rename it'],
])(
  'an application context with a field "%s" that has nothing to do with the copies is refused, not hidden',
  async (name, context, hint) => {
    const edit = defineWorkflow({
      name: 'edit',
      context: context as () => object,
      steps: { one: { databases: ['book'], handler: () => 1, next: null } },
    });
    const { steps } = await runOn(createBook(), edit);
    expect(steps[0]?.error).toContain(`has a field "${name}", and so do steps with \`databases\`; ${hint}`);
  },
);

test('steps without databases get none', async () => {
  const look = defineWorkflow({
    name: 'look',
    context: known,
    steps: { one: { handler: (ctx) => ctx.known, next: null } },
  });
  expect(await runOn(createBook(), look)).toMatchObject({ status: 'completed', output: [] });
});

test('functions that build the environment of a command, and those that look for an effect, see the databases', async () => {
  const file = createBook();
  write(file, "UPDATE settings SET value = 'light' WHERE name = 'theme'");
  const program = `new (require('node:sqlite').DatabaseSync)(process.env.PAWL_DB_BOOK).prepare('UPDATE books SET title = ? WHERE id = 1').run(process.env.THEME)`;
  const edit = defineWorkflow({
    name: 'edit',
    databases: ['book'],
    steps: {
      one: {
        command: [process.execPath, '-e', program],
        env: { THEME: (ctx) => String(ctx.db.get("SELECT value FROM settings WHERE name = 'theme'")?.value) },
        outputs: [
          { name: 'title', type: 'effect', required: true, find: (ctx) => ctx.db.get('SELECT title FROM books WHERE id = 1')?.title },
        ],
        next: null,
      },
    },
  });
  const view = await runOn(file, edit);
  expect(view).toMatchObject({ status: 'completed' });
  expect(dump(file).books).toContainEqual({ id: 1, isbn: 'a', title: 'light' });
});
