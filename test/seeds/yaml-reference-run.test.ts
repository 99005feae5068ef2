// Owns the promise that every example of the reference of workflow files runs as it stands there and ends as the page
// says: on a real engine, a real local forge and a real server, with agents whose moves are written down.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ReferenceExample, STAGE_EXAMPLES } from '../../scripts/yaml-examples.ts';
import { createScriptedDriver, type ScriptedMove } from '../../src/agents/scripted.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import { workflowSchema } from '../../src/authoring/yaml/schema/schema.ts';
import { formsOf } from '../../src/authoring/yaml/schema/walk.ts';
import type { CompiledWorkflow } from '../../src/definition/code.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { openSample } from '../../src/proof/forge-suite/stage.ts';
import { createRig, type Rig } from '../engine/rig.ts';
import { type LocalForgeStage, openLocalForgeStage } from '../forge/local-stage.ts';

const RELEASE = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: release }
params:
  version: { type: string }
stages:
  - { id: tag, type: command, run: 'test "$VERSION" = 1.0.0', env: { VERSION: "{{ params.version }}" } }
`;

/** What each role does whenever it is asked. */
const MOVES: Readonly<Record<string, readonly ScriptedMove[]>> = {
  'feat-dev': [
    { do: 'write', path: 'src/search.ts', text: 'export const search = 1;\n' },
    { do: 'write', path: 'CHANGELOG.md', text: '- search\n' },
  ],
  'pr-review': [{ do: 'answer', verdict: 'approve', output: { verdict: 'approve', feedback: 'fine' } }],
  'security-review': [{ do: 'answer', verdict: 'approve', output: { verdict: 'approve', feedback: 'fine' } }],
  'quality-reviewer': [{ do: 'answer', output: { status: 'pass', evidence: 'src/search.ts:1' } }],
  'merge-conflict': [],
};

let rig: Rig;
let stage: LocalForgeStage;
let server: Server;
let host: string;
/** What the server was sent. */
let heard: string[];

beforeEach(async () => {
  rig = createRig();
  stage = await openLocalForgeStage();
  heard = [];
  server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(201).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await rig.close();
  await stage.close();
  server.closeAllConnections();
  server.close();
});

function compiled(text: string): CompiledWorkflow {
  const { compiled: workflow, errors, warnings } = checkYaml('example.yaml', text, REGISTRY);
  if (workflow === undefined || warnings.length > 0) throw new Error(JSON.stringify([...errors, ...warnings]));
  return workflow;
}

async function play({ text, ends }: ReferenceExample) {
  const { number: pr_number } = await openSample(stage, 'feature');
  // The one thing that stands there in place of a server that nobody here can reach.
  const workflow = compiled(`${text.replace('https://api.example.com', `http://${host}`)}\n`);
  const engine = await rig.open({
    workflows: [workflow, compiled(RELEASE)],
    forge: stage.forge,
    groups: { maintainers: ['ann'] },
    secrets: { API_TOKEN: 'token-of-the-example' },
    webhooks: { allow: [host] },
    roles: Object.fromEntries(Object.keys(MOVES).map((role) => [role, { driver: 'scripted' }])),
    drivers: { scripted: createScriptedDriver(({ role }) => MOVES[role] ?? []) },
  });
  const run = await engine.start(workflow, {}, { facts: { pr_number, issue_number: 1 } });
  return run.wait(ends === 'waiting' ? 'idle' : 'settled');
}

it('there is an example for every type of stage', () => {
  const types = formsOf(workflowSchema(REGISTRY).shape.stages.element).map((form) => String(formType(form)));
  expect(Object.keys(STAGE_EXAMPLES).sort()).toEqual([...new Set(types)].sort());
});

function formType(form: unknown): unknown {
  const { shape } = form as { shape?: { type?: { value?: unknown } } };
  return shape?.type?.value;
}

it.each(Object.entries(STAGE_EXAMPLES))('the example of a %s stage runs and ends as the page says', async (type, example) => {
  const view = await play(example);
  expect(view.status, JSON.stringify(view.steps)).toBe(example.ends);
  expect(heard).toEqual(type === 'webhook' ? ['POST /releases Bearer token-of-the-example'] : []);
});
