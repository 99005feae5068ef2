// The same kind and check in TypeScript: a workflow imports them.

import { defineWorkflow } from 'pawl';
import { noTodo } from '../checks/no-todo.ts';
import { publish } from '../kinds/publish.ts';

export default defineWorkflow({
  name: 'nightly',
  title: 'Publish the nightly version',
  steps: {
    check: { gate: { checks: [noTodo({ file: 'NOTES.md' })] }, next: { ok: 'publish', fail: 'fail' } },
    publish: { use: publish({ version: 'nightly' }), next: { ok: null, taken: null } },
  },
});
