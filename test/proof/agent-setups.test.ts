// What `pawl init --claude`, `--codex`, `--gemini` and `--opencode` write, in the real programs against stubs of their
// models: the model sees Pawl's tools, does a step, is denied a decision, and is kept at work where the program can.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { THREE_STEPS } from '../cli/mcp-client.ts';
import { CliRig } from '../cli/rig.ts';
import { installPrograms } from '../programs/install.ts';
import type { ModelCall, ModelStub, ModelTurn } from '../programs/model-stub.ts';
import { otherProgramsOf, programsOf, type SetUpProgram } from '../programs/set-up-programs.ts';

const FOLDER = join(import.meta.dirname, '../programs');

for (const [folder, programs] of [
  [FOLDER, programsOf],
  [join(FOLDER, 'others'), otherProgramsOf],
] as const) {
  const installed = await installPrograms(folder);
  if ('missing' in installed) {
    console.warn(`The real programs of ${folder} could not be installed, so their setup was not tested: ${installed.missing}`);
    test('programs are not tested: npm could not install them', (context) => context.skip());
  } else for (const program of programs(installed.modules)) describeSetup(program);
}

function describeSetup(program: SetUpProgram): void {
  describe(`after pawl init --${program.option}`, () => {
    let rig: CliRig;
    let stub: ModelStub | undefined;
    beforeEach(async () => {
      rig = new CliRig();
      rig.write('.pawl/workflows/three-steps.yaml', THREE_STEPS);
      await rig.run(['trust', '--yes']);
      expect((await rig.run(['init', `--${program.option}`])).code).toBe(0);
      putOnPath(rig);
    });
    afterEach(async () => {
      await stub?.close();
      await rig.close();
    });

    test('the real program does a step by MCP, and is denied a decision of the person', async () => {
      stub = await program.startStub(scripted(program));
      const printed = await runIn(rig, program, stub);
      const [first] = stub.calls;
      if (first === undefined) throw new Error(`the program called no model: ${printed}`);
      if (program.seesTools) expect(first.tools).toContain((program.tool('pawl_start', {}) as { tool: string }).tool);
      else expect(first.tools).toContain('tool_search');
      if (program.hasCommand) expect(first.all).toMatch(/Pawl run[\s\S]*three-steps/);
      const heard = stub.calls.map(({ last }) => last).join('\n');
      expect(heard).toContain('"pawl approve" is a decision of the person you work for');
      expect(heard.replaceAll('\\"', '"')).toContain('Accepted: step "plan" is done');
      expect(stub.calls.filter(({ last }) => last.includes('has a step open for you'))).toHaveLength(program.isKept ? 3 : 0);
      const { runs } = await rig.json<{ runs: { status: string }[] }>(['runs']);
      expect(runs.map(({ status }) => status)).toEqual(['waiting']);
    });
  });
}

/** Starts a run, tries to decide, does the first step, and then wants to stop. */
function scripted(program: SetUpProgram): (call: ModelCall) => ModelTurn {
  let turn = 0;
  return ({ all }) => {
    turn += 1;
    const token = [...all.matchAll(/Token: ([\w-]+)/g)].at(-1)?.[1] ?? '';
    const turns = [
      program.tool('pawl_start', { workflow: 'three-steps' }),
      program.shell('pawl approve r1'),
      program.shell('echo plan > plan.md'),
      program.tool('pawl_report', { token, result: { ok: true } }),
    ];
    return turns[turn - 1] ?? { text: 'I stop.' };
  };
}

/** Lets "pawl" be found as it is on the machine of a user. */
function putOnPath(rig: CliRig): void {
  const bin = join(rig.folder, 'bin');
  const start = `'${process.execPath}' '${join(import.meta.dirname, '../cli/start.js')}'`;
  mkdirSync(bin);
  // Programs pass on few of our variables.
  writeFileSync(join(bin, 'pawl'), `#!/bin/sh\nPAWL_BUNDLE='${rig.env({}).PAWL_BUNDLE}' exec ${start} "$@"\n`);
  chmodSync(join(bin, 'pawl'), 0o755);
}

/** Runs the real program in the project to its end, and returns what it printed. */
async function runIn(rig: CliRig, program: SetUpProgram, stub: ModelStub): Promise<string> {
  const home = join(rig.folder, 'home');
  mkdirSync(home, { recursive: true });
  const { argv, env } = program.start({ home, project: rig.project }, stub);
  const [command = '', ...words] = argv;
  const child = spawn(command, words, {
    cwd: rig.project,
    env: rig.env({ PATH: [join(rig.folder, 'bin'), process.env.PATH].join(delimiter), HOME: home, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  await once(child, 'close');
  return printed.slice(-4000);
}
