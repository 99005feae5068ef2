// A skill of the catalogue in the real Claude Code, against a stub of its model that plays the agent's part: `pawl skill install`
// wrote its SKILL.md, the model invokes the skill, and everything else it learns from what Pawl prints in its shell.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSteps } from '../../examples/skills/agent.ts';
import { makeProject } from '../../examples/skills/project.ts';
import { CliRig } from '../cli/rig.ts';
import { claudeEnv, startAnthropicStub } from '../programs/anthropic-stub.ts';
import { installPrograms } from '../programs/install.ts';
import type { ModelCall, ModelStub, ModelTurn } from '../programs/model-stub.ts';

const EXAMPLE = join(import.meta.dirname, '../../examples/skills/codebase-analysis');
const PROGRAM = '@anthropic-ai/claude-code/cli-wrapper.cjs';
const QUESTION = 'What happens to a line of the log that cannot be read?';

let rig: CliRig;
let stub: ModelStub | undefined;
beforeEach(() => {
  rig = new CliRig();
  makeProject(rig.project);
});
afterEach(async () => {
  await stub?.close();
  await rig.close();
});

/** A model that invokes the skill and then does what it reads: it writes the documents of a step, and reports it. */
function followingModel(): (call: ModelCall) => ModelTurn {
  const due: ModelTurn[] = [];
  return ({ last }) => {
    const command = /^ {4}(pawl run .*)$/m.exec(last)?.[1];
    const [step] = readSteps(last);
    if (last.includes(`Tell me: ${QUESTION}`)) due.push({ tool: 'Skill', input: { skill: 'codebase-analysis' } });
    else if (command !== undefined) due.push({ tool: 'Bash', input: { command: `${command} -p question='${QUESTION}'` } });
    else if (step !== undefined) {
      const result = step.step === 'investigate' ? ` --result '{"confidence":"certain"}'` : '';
      const writes = step.documents.map((path) => ({
        tool: 'Write',
        input: { file_path: join(step.folder, path), content: readFileSync(join(EXAMPLE, path), 'utf8') },
      }));
      const report = {
        tool: 'Bash',
        input: { command: `pawl ${step.report.filter((word) => !/^(--result|@.*)$/.test(word)).join(' ')}${result}` },
      };
      due.push(...writes, report);
    }
    return due.shift() ?? { text: /Run \w+ is completed/.test(last) ? 'The answer is in 04-answer.md.' : `I am lost: ${last}` };
  };
}

/** Lets "pawl" be found as it is on the machine of a user. */
function putOnPath(): string {
  const bin = join(rig.folder, 'bin');
  mkdirSync(bin);
  const [node = '', start = ''] = rig.argv([]);
  writeFileSync(join(bin, 'pawl'), `#!/bin/sh\nPAWL_BUNDLE='${rig.env().PAWL_BUNDLE}' exec '${node}' '${start}' "$@"\n`);
  chmodSync(join(bin, 'pawl'), 0o755);
  return [bin, process.env.PATH].join(delimiter);
}

/** Runs Claude Code in the project to its end, and returns what it said. */
async function runClaude(modules: string, model: ModelStub): Promise<string> {
  const words = ['-p', `Tell me: ${QUESTION}`, '--allowedTools', 'Bash', 'Write', 'Skill', '--permission-mode', 'acceptEdits'];
  const child = spawn(process.execPath, [join(modules, PROGRAM), ...words], {
    cwd: rig.project,
    env: rig.env({ ...claudeEnv(model, rig.home), ANTHROPIC_API_KEY: 'sk-ant-stub', PATH: putOnPath() }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'close');
  return said.trim();
}

const installed = await installPrograms(join(import.meta.dirname, '../programs'));

if ('missing' in installed) test(`a skill in the real Claude Code is not tested: ${installed.missing}`, (context) => context.skip());
else
  test('the real Claude Code finds an installed skill, and carries codebase-analysis through to its answer', async () => {
    expect((await rig.run(['skill', 'install', 'codebase-analysis', '--claude'])).code).toBe(0);
    stub = await startAnthropicStub(followingModel());
    expect(await runClaude(installed.modules, stub)).toBe('The answer is in 04-answer.md.');
    expect(stub.calls[0]?.tools).toContain('Skill');
    expect(stub.calls.map(({ all }) => all).join()).toContain('codebase-analysis: Explores a repository');
    const { runs } = await rig.json<{ runs: { workflow: string; status: string }[] }>(['runs']);
    expect(runs).toMatchObject([{ workflow: 'codebase-analysis', status: 'completed' }]);
    const answer = 'notes/codebase-analysis/04-answer.md';
    expect(readFileSync(join(rig.project, answer), 'utf8')).toBe(readFileSync(join(EXAMPLE, answer), 'utf8'));
  });
