// A gate check of the project: a file must have no line with TODO. Workflow files write `check: no_todo`.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineCheck } from 'pawl';

/** `{ check: no_todo, file: NOTES.md }`. */
export const noTodo = defineCheck({
  name: 'no_todo',
  parse(fields) {
    const { file } = fields as { file?: unknown };
    if (typeof file !== 'string') throw new Error('`file` must be a path');
    return { file };
  },
  run({ file }, { cwd }) {
    const open = readFileSync(join(cwd, file), 'utf8')
      .split('\n')
      .filter((line) => line.includes('TODO'));
    if (open.length === 0) return { passed: true, result: null };
    return { passed: false, result: { open }, error: `${file} has ${open.length} open TODO` };
  },
});
