// The editing workflow of seed 004 under attack: hostile agents at every step that an agent does.

import { expect, test } from 'vitest';
import { COMMANDS } from '../../examples/w1/commands.ts';
import { openEditing, programOf } from '../../examples/w1/editing.ts';
import { addPondBook } from '../../examples/w1/manuscript.ts';
import { W1EditingWorkflow } from '../../examples/w1/workflow.ts';
import { runHostile } from '../../src/proof/index.ts';
import { judged } from '../hostile/judged.ts';

const COMMAND_PROGRAMS = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, programOf(name)]));

test('editing a book: steps checked by the database are enforced, steps checked by a reviewer or a metric are advised', async () => {
  const result = await runHostile(W1EditingWorkflow, {
    open: async (attack) => {
      const editing = await openEditing({ directory: attack.cwd, commands: attack.commands(COMMAND_PROGRAMS) });
      const { engine } = editing;
      return { engine, cwd: attack.cwd, start: () => editing.start(addPondBook(editing)), close: () => editing.close() };
    },
  });
  expect(judged(result)).toEqual({
    enforced: ['strategic-planning', 'create-version', 'writer/writer', 'finalize'],
    advised: ['editor-review', 'domain-expert-review', 'chapter-review', 'human-gate'],
  });
});
