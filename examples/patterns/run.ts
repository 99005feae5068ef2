// Runs the patterns and prints the path that each of them takes.
//
//   node examples/patterns/run.ts

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toMermaid, type Workflow, type WorkflowResult } from '../../src/index.ts';
import { investigation } from './confidence.ts';
import { WORKFLOW as decisionCritic } from './decision-critic.ts';
import { deepthink, formatOutput } from './hybrid.ts';
import { linear } from './linear.ts';
import { branching } from './mode.ts';
import { createPlanner, withReviewer } from './qr-gate.ts';

function show(what: string, { stepResults, finalOutput }: WorkflowResult<unknown>): void {
  console.log(`${what}\n  ${stepResults.map(({ name }) => name).join(' -> ')}\n  output: ${JSON.stringify(finalOutput)}`);
}

function showSteps(workflow: Pick<Workflow, 'stepOrder' | 'stepOutput'>): void {
  for (const id of workflow.stepOrder) {
    const { title, actions, nextCommand } = workflow.stepOutput(id);
    console.log(`  ${title}: ${actions.join(' ')} [${nextCommand ?? 'the end'}]`);
  }
}

const directory = mkdtempSync(join(tmpdir(), 'pawl-patterns-'));
show('1. linear', await linear.run({}));
show('2. confidence: exploring, until it has tried often enough', await investigation.run({ confidence: 'exploring' }));
show('2. confidence: high from the start', await investigation.run({ confidence: 'high' }));
show('3. mode: full', await branching.run({ mode: 'full' }));
show('3. mode: quick', await branching.run({ mode: 'quick' }));
show('4. QR gate, with a reviewer who finds two parts missing', await createPlanner(directory).run({}, withReviewer(directory)));
console.log(`5. hybrid steps\n${formatOutput(13, { mode: 'full', confidence: 'exploring', iteration: 2 }).replace(/^/gm, '  ')}`);
console.log(`  ${formatOutput(99, { mode: 'full', confidence: 'exploring', iteration: 1 })}`);
show('   as a workflow', await deepthink.run({}));
console.log('decision-critic, what its steps say');
showSteps(decisionCritic);
console.log(toMermaid(decisionCritic.definition));
rmSync(directory, { recursive: true });
