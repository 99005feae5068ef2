// Runs a workflow with a custom step kind and a custom check, in a temporary folder that is removed afterwards.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, defineWorkflow } from '../../src/index.ts';
import { deploy } from './deploy.ts';
import { licences } from './licences.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pawl-own-'));
writeFileSync(join(cwd, 'package-lock.json'), JSON.stringify({ packages: { a: { license: 'MIT' } } }));

const release = defineWorkflow({
  name: 'release',
  steps: {
    check: { gate: { checks: [licences({ allow: ['MIT'] })] }, next: { ok: 'ship', fail: 'fail' } },
    ship: { use: deploy({ to: 'staging', version: '1.2.0' }), next: { ok: 'again' } },
    again: { use: deploy({ to: 'staging', version: '1.3.0' }), next: { ok: null, busy: null } },
  },
});

const engine = await createEngine({ cwd, workflows: [release] });
const { steps } = await (await engine.start(release)).wait();
for (const { path, outcome, output } of steps)
  console.log(path === 'check#1' ? `${path}    ${outcome}` : `${path.padEnd(10)} ${outcome} ${JSON.stringify(output)}`);
await engine.close();
rmSync(cwd, { recursive: true });
