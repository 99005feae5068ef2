// STAND-IN, NOT AN AGENT. It lets you try the workflow without an account and without cost: it writes a file and a test into
// trial/, and each of its answers begins with "Stand-in:". It does not read your issues, and reviews nothing.
// Name a real agent under "roles" in config.yaml ("driver: claude-code"), then delete this file and trial/.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

// The prompt of the stage comes on standard input.
readFileSync(0, 'utf8');

const TEST = `import assert from 'node:assert/strict';
import { answer } from './trial.mjs';

const { test } = process.env.VITEST ? await import('vitest') : await import('node:test');
test('the trial works', () => assert.equal(answer(), 42));
`;

function work() {
  mkdirSync('trial', { recursive: true });
  // The run is named, so that the next run has something to change.
  const run = process.env.PAWL_RUN ?? '';
  writeFileSync('trial/trial.mjs', `/** The work of the stand-in, in run ${run}. */\nexport function answer() {\n  return 42;\n}\n`);
  writeFileSync('trial/trial.test.mjs', `// Run ${run}\n${TEST}`);
  return { summary: 'Stand-in: wrote trial/trial.mjs and its test.' };
}

const comment = (name, text) => ({ outputs: { [name]: `Stand-in: ${text}` } });
const STEPS = {
  research: () => comment('implementation_plan', 'this is where the plan of an agent would be.'),
  diagnose: () => comment('root_cause', 'this is where an agent would say what causes the bug.'),
  threat_model: () => comment('threat_analysis', 'this is where an agent would list the threats.'),
  implement: work,
  work,
  pull_request: () => ({ outputs: { pr_number: { title: 'Stand-in: a trial', body: 'Written by the stand-in of a template.' } } }),
};
const REVIEWS = ['test_review', 'security_review', 'code_review', 'security_audit'];

const step = process.env.PAWL_STEP ?? '';
const reply = REVIEWS.includes(step)
  ? { success: true, verdict: 'approve', output: { feedback: 'Stand-in: approved without a look.' } }
  : { success: true, output: STEPS[step]?.() ?? {} };
console.log(JSON.stringify(reply));
