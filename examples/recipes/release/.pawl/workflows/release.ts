// Build, test, approve exactly what was built, publish once: also when the machine dies in between.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { arg, defineWorkflow } from 'pawl';

const root = join(import.meta.dirname, '../..');
const published = (version: string): string => join(root, `registry/app-${version}.txt`);

export default defineWorkflow({
  name: 'release',
  title: 'Build, approve and publish a version',
  params: { version: arg({ type: 'string', required: true }) },
  steps: {
    // Building twice does no harm, so after a crash it just runs again.
    build: { command: 'mkdir -p dist && cat src/*.txt > dist/app.txt', recovery: 'rerun', next: 'test' },
    test: { gate: { checks: ['! grep -q TODO dist/app.txt'] }, next: { ok: 'summary', fail: 'fail' } },
    summary: {
      handler: () => ({
        sha256: createHash('sha256')
          .update(readFileSync(join(root, 'dist/app.txt')))
          .digest('hex')
          .slice(0, 12),
      }),
      next: 'approve',
    },
    approve: {
      human: {
        prompt: 'Publish this build?',
        show: ['sha256'],
        // The approval is about this file. If it changes before the decision, the approval is requested again.
        subjects: { files: ['dist/app.txt'] },
        options: [
          { label: 'publish', nextStep: 'publish' },
          { label: 'rebuild', nextStep: 'build' },
          { label: 'stop', nextStep: 'reject' },
        ],
      },
    },
    // Publishing twice does harm. After a crash, `reconcile` checks whether it took effect, and it runs again only if not.
    publish: {
      command: ['sh', 'publish.sh'],
      env: { VERSION: '{{ params.version }}' },
      templates: true,
      reconcile: ({ params: { version } }) => existsSync(published(version)),
      postconditions: [
        {
          name: 'published',
          check: ({ params: { version } }) => existsSync(published(version)),
          error: 'the registry has no such version',
        },
      ],
      next: null,
    },
  },
});
