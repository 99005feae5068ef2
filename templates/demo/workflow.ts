// The workflow of `pawl demo`: an agent fixes a bug, and the engine checks everything it claims. The agent is scripted, so
// that it needs no model and no network; everything else is as in any other workflow.

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arg, defineWorkflow, type StepContext } from 'pawl';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'src/cart.js');
const testCommand = [process.execPath, '--test', '--test-isolation=none', '--test-reporter=tap'];

/** Runs the project's tests and reads their result, whatever a step claims about them. */
function runTests(signal: AbortSignal): Promise<{ tests: number; failing: string[] }> {
  const [program = '', ...words] = testCommand;
  return new Promise((resolve) => {
    execFile(program, words, { cwd: root, signal }, (_error, tap) => {
      const failing = [...tap.matchAll(/^not ok \d+ - (.+)$/gm)].map(([, name = '']) => name);
      resolve({ tests: Number(/^# tests (\d+)$/m.exec(tap)?.[1] ?? 0), failing });
    });
  });
}

/** A scripted agent. At first it only claims to be done; told what the engine observed, it does the work. */
const coder = {
  execute(_context: object, ctx: StepContext) {
    const source = readFileSync(file, 'utf8');
    const wish = ctx.checkpoint.lastDecision?.input;
    if (wish !== undefined) {
      writeFileSync(file, source.replace('export', `// ${wish.replaceAll(/\s+/g, ' ')}\nexport`));
      return { success: true, message: 'Noted what you asked for above the function.' };
    }
    if (ctx.retryContext === undefined) return { success: true, message: 'Fixed the discount. All tests pass.' };
    writeFileSync(file, source.replace('sum > 100_00', 'sum >= 100_00'));
    return { success: true, message: 'The comparison left out exactly 100.00: ">" is ">=" now.' };
  },
};

export default defineWorkflow({
  name: 'fix-bug',
  title: 'Fix a bug, and prove it',
  params: { git: arg({ description: 'whether the project is a git checkout', default: true }) },
  steps: {
    reproduce: {
      title: 'See the bug',
      handler: async ({ signal }) => ({ ...(await runTests(signal)), before: readFileSync(file, 'utf8') }),
      postconditions: [{ name: 'a test fails', check: ({ result }) => result.failing.length > 0, error: 'no test fails: there is no bug' }],
      next: 'fix',
    },
    fix: {
      title: 'Fix the bug',
      agent: coder,
      postconditions: [
        {
          name: 'src/cart.js was changed',
          check: ({ checkpoint }) => readFileSync(file, 'utf8') !== checkpoint.before,
          error: 'src/cart.js is byte for byte what it was',
        },
        {
          name: 'the tests pass',
          check: async ({ signal }) => (await runTests(signal)).failing.length === 0,
          error: 'the test that shows the bug still fails',
        },
      ],
      next: 'test',
    },
    test: {
      title: 'Run all tests',
      gate: { checks: [{ check: 'command', argv: testCommand }] },
      next: { ok: 'compare', fail: { to: 'fix', maxIterations: 2, onExhausted: 'escalate' } },
    },
    compare: {
      title: 'Collect what changed',
      handler: ({ checkpoint }) => {
        const before = String(checkpoint.before).split('\n');
        const after = readFileSync(file, 'utf8').split('\n');
        const removed = before.filter((line) => !after.includes(line)).map((line) => `- ${line.trim()}`);
        const added = after.filter((line) => !before.includes(line)).map((line) => `+ ${line.trim()}`);
        return { change: [...removed, ...added].join('\n') };
      },
      next: 'approve',
    },
    approve: {
      title: 'A person decides',
      human: {
        prompt: 'Commit this change?',
        show: ['change'],
        options: [
          { label: 'commit', nextStep: 'commit' },
          { label: 'rework', nextStep: 'fix', requiresInput: true },
          { label: 'reject', nextStep: 'reject' },
        ],
      },
    },
    commit: {
      title: 'Commit the change',
      condition: 'params.git',
      command: 'git diff --quiet HEAD || git commit --quiet --all --message "Give the discount at exactly 100.00"',
      next: null,
    },
  },
});
