import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import type { CheckRun, ForgeAnswer, ForgeApproval } from '../../../forge/forge.ts';
import { type CheckCase, describeCheck } from '../../../proof/check-suite.ts';
import type { GateCheck } from '../../../steps/check.ts';
import type { ForgeFacts } from '../../../steps/forge/forge-facts.ts';
import { REGISTRY } from '../../registry.ts';

const { checks } = REGISTRY;

function checkOf(name: string): GateCheck {
  const check = checks[name];
  if (check === undefined) throw new Error(`there is no check ${name}`);
  return check;
}

const README = (cwd: string): void => writeFileSync(join(cwd, 'README.md'), '');

describeCheck(checkOf('command'), {
  passes: { config: { run: 'test -f README.md' }, arrange: README },
  fails: { config: { run: 'test -f README.md' } },
  cannotDecide: { config: { argv: ['no-such-program-anywhere'] } },
});

describeCheck(checkOf('file_exists'), {
  passes: { config: { paths: ['README.md'] }, arrange: README },
  fails: { config: { paths: ['README.md'] } },
  cannotDecide: { config: { paths: ['../README.md'] } },
});

const report = (text: string) => (cwd: string) => writeFileSync(join(cwd, 'lcov.info'), text);

describeCheck(checkOf('coverage'), {
  passes: { config: { minimum: '50%' }, arrange: report('SF:a.ts\nDA:1,1\nDA:2,0\nend_of_record\n') },
  fails: { config: { minimum: 51 }, arrange: report('SF:a.ts\nDA:1,1\nDA:2,0\nend_of_record\n') },
  cannotDecide: { config: { minimum: 50 } },
});

describeCheck(checkOf('any_of'), {
  passes: {
    config: {
      checks: [
        { check: 'file_exists', paths: ['LICENSE'] },
        { check: 'command', run: 'test -f README.md' },
      ],
    },
    arrange: README,
  },
  fails: {
    config: {
      checks: [
        { check: 'file_exists', paths: ['README.md'] },
        { check: 'command', run: 'false' },
      ],
    },
  },
  cannotDecide: {
    config: {
      checks: [
        { check: 'file_exists', paths: ['README.md'] },
        { check: 'command', argv: ['no-such-program-anywhere'] },
      ],
    },
  },
});

const server = createServer(({ url }, response) => response.writeHead(url === '/yes' ? 200 : 409).end());
await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
afterAll(() => new Promise((done) => server.close(done)));
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
const asking = (path: string, allow = [host]) => ({ config: { url: `http://${host}${path}` }, services: { webhooks: { allow } } });

describeCheck(checkOf('webhook'), { passes: asking('/yes'), fails: asking('/no'), cannotDecide: asking('/yes', []) });

const ok = <T>(value: T): Promise<ForgeAnswer<T>> => Promise.resolve({ result: 'ok', value });
const review = (state: ForgeApproval['state']): ForgeApproval => ({
  actor: 'ann',
  state,
  headSha: 'head',
  at: 1,
  permission: 'write',
  bot: false,
});

/** A forge with a pull request that has these reviews, this conclusion of CI, and that is up to date or not. */
function forgeWith(
  approvals: readonly ForgeApproval[],
  conclusion: CheckRun['conclusion'],
  isUpToDate: boolean,
): Pick<CheckCase, 'services'> {
  const facts: ForgeFacts = {
    groups: { maintainers: ['ann'] },
    approvals: () => ok({ state: 'open', headSha: 'head', author: 'zoe', approvals }),
    checks: () => ok({ headSha: 'head', checks: [{ name: 'test', status: 'completed', conclusion }] }),
    isUpToDate: () => ok({ headSha: 'head', baseBranch: 'main', isUpToDate }),
  };
  return { services: { forgeFacts: () => facts } };
}

// `label_present` waits and never fails, and `human_approved` can always tell: their rules are in forge-gates.test.ts.
describe.each<[string, JsonObject]>([
  ['pr_approval', { from: 'maintainers' }],
  ['pr_approvals_met', {}],
  ['no_changes_requested', {}],
  ['branch_up_to_date', {}],
  ['ci_status', {}],
])('at the forge', (name, config) => {
  describeCheck(checkOf(name), {
    passes: { config, ...forgeWith([review('approved')], 'success', true) },
    fails: { config, ...forgeWith([review('changes_requested')], 'failure', false) },
    cannotDecide: { config },
  });
});

test('every built-in check is listed under its own name', () => {
  const names = [
    'command',
    'file_exists',
    'pr_approval',
    'ci_status',
    'webhook',
    'coverage',
    'branch_up_to_date',
    'human_approved',
    'label_present',
    'no_changes_requested',
    'pr_approvals_met',
    'any_of',
  ];
  expect(Object.entries(checks).map(([name, check]) => [name, check.name])).toEqual(names.map((name) => [name, name]));
});
