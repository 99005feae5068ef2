// Owns the table of rights: what each command and each of its options requires. Everything that skips, accepts, extends or
// trusts something is a decision of a named person and needs a scope; everything else is free, or only forbidden inside a
// run. A tidy test fails if a command or an option has no row.

/** The scopes of rights. A personal token has some of them. */
export const SCOPES = ['decide', 'override', 'trust', 'upkeep'] as const;

/** One scope. */
export type Scope = (typeof SCOPES)[number];

/**
 * What a command requires. `free`: nothing. `steer`: not inside a run or an agent, unless it is their own run; for a run
 * that someone else started, `override`. A scope: a person with that right. `asks`: the command checks by itself.
 */
export type Demand = 'free' | 'steer' | Scope | 'asks';

/** A row: what the command requires, and what its options and actions require in addition. */
export interface RightRow {
  readonly verb: Demand;
  readonly options?: Readonly<Record<string, Demand>>;
  /** For a command whose first argument is an action. */
  readonly actions?: Readonly<Record<string, Demand>>;
  /** Options with which the command only reads, and requires nothing. */
  readonly looks?: readonly string[];
  /** Why, if it is not obvious. */
  readonly because?: string;
}

const SIGNING = { as: 'free', 'passphrase-fd': 'free' } as const satisfies RightRow['options'];
const SEEN = { ...SIGNING, digest: 'free', 'token-file': 'free', yes: 'free' } as const satisfies RightRow['options'];
const DECIDING = { ...SEEN, input: 'free', gate: 'free' } as const satisfies RightRow['options'];

const DRAWING = { format: 'free', out: 'free' } as const satisfies RightRow['options'];

/** The table. */
export const RIGHTS: Readonly<Record<string, RightRow>> = {
  demo: { verb: 'free', options: { keep: 'free', 'no-pause': 'free' }, because: 'it decides in a project that it created itself' },
  init: { verb: 'free', options: { js: 'free', yaml: 'free', claude: 'free', 'dry-run': 'free' } },
  list: { verb: 'free' },
  validate: { verb: 'free', options: { hints: 'free', strict: 'free' } },
  graph: { verb: 'asks', options: { ...DRAWING, run: 'free' }, because: 'a workflow that is not trusted yet is trusted first' },
  export: { verb: 'asks', options: DRAWING, because: 'a workflow that is not trusted yet is trusted first' },
  trust: {
    verb: 'asks',
    options: { ...SIGNING, sign: 'free', yes: 'free', folder: 'free', revoke: 'steer', list: 'free', 'token-file': 'free' },
    because: 'files that are already trusted need no right',
  },
  run: {
    verb: 'asks',
    options: {
      ...SIGNING,
      param: 'free',
      params: 'free',
      from: 'override',
      output: 'override',
      issue: 'free',
      pr: 'free',
      event: 'free',
      payload: 'free',
      id: 'free',
      detach: 'free',
      wait: 'free',
      attended: 'free',
      format: 'free',
      'token-file': 'free',
    },
    because: 'a workflow that is not trusted yet is trusted first',
  },
  resume: {
    verb: 'asks',
    options: {
      ...SIGNING,
      retry: 'override',
      accept: 'override',
      to: 'override',
      rerun: 'override',
      done: 'override',
      failed: 'override',
      output: 'override',
      extend: 'override',
      budget: 'override',
      note: 'free',
      'accept-changes': 'trust',
      wait: 'free',
      'token-file': 'free',
    },
    because: 'continuing a run needs no right; after an escalation the choice does',
  },
  retry: {
    verb: 'override',
    options: { ...SIGNING, extend: 'override', note: 'free', 'accept-changes': 'trust', wait: 'free', 'token-file': 'free' },
  },
  cancel: { verb: 'steer', options: { ...SIGNING, reason: 'free', 'token-file': 'free' } },
  pause: { verb: 'steer', options: { ...SIGNING, 'token-file': 'free' } },
  fork: {
    verb: 'asks',
    options: {
      ...SIGNING,
      from: 'asks',
      param: 'free',
      params: 'free',
      output: 'override',
      'dry-run': 'free',
      yes: 'free',
      'token-file': 'free',
    },
    looks: ['dry-run'],
    because: 'a fork that starts after a check overrides that check',
  },
  next: { verb: 'free', options: { format: 'free' } },
  done: { verb: 'free', options: { token: 'free', result: 'free', format: 'free' }, because: 'the engine verifies what is reported' },
  fail: { verb: 'free', options: { token: 'free', reason: 'free', format: 'free' } },
  ask: { verb: 'free', options: { token: 'free', questions: 'free', format: 'free' } },
  mcp: { verb: 'free', options: { run: 'free' }, because: 'none of its tools decides' },
  hook: { verb: 'free' },
  inbox: { verb: 'free' },
  forge: {
    verb: 'asks',
    options: {
      ...{ title: 'free', body: 'free', label: 'free', as: 'asks', head: 'free', base: 'free', draft: 'free', fork: 'free' },
      ...{
        approve: 'asks',
        'request-changes': 'asks',
        name: 'free',
        conclusion: 'asks',
        add: 'free',
        remove: 'free',
        'token-file': 'free',
      },
    },
    because: 'a review or a check can let work pass, so it needs the right to decide; opening issues and pull requests does not',
  },
  decide: { verb: 'decide', options: { ...DECIDING, option: 'free' } },
  approve: { verb: 'decide', options: DECIDING },
  reject: { verb: 'decide', options: DECIDING },
  answer: { verb: 'decide', options: { ...SEEN, step: 'free' } },
  token: {
    verb: 'free',
    options: { expires: 'free', scope: 'free' },
    actions: { create: 'asks', list: 'free', revoke: 'steer' },
    because: 'creating a token gives away a right',
  },
  identity: {
    verb: 'free',
    options: SIGNING,
    actions: { create: 'asks', enrol: 'free', list: 'free', show: 'free', revoke: 'free' },
    because: 'enrolling and revoking need the passphrase of an enrolled key',
  },
  runs: { verb: 'free', options: { status: 'free', workflow: 'free', limit: 'free', all: 'free' } },
  show: { verb: 'free', options: { steps: 'free', output: 'free' } },
  logs: { verb: 'free', options: { follow: 'free', since: 'free' } },
  watch: { verb: 'free' },
  doctor: { verb: 'free' },
  backup: { verb: 'free', options: { force: 'steer' } },
  restore: {
    verb: 'upkeep',
    options: { ...SIGNING, force: 'upkeep', 'token-file': 'free' },
    because: 'it undoes decisions made since the backup',
  },
  db: { verb: 'free', actions: { check: 'free', migrate: 'steer', adopt: 'upkeep' }, options: { ...SIGNING, 'token-file': 'free' } },
  config: { verb: 'free', options: { 'show-origin': 'free' } },
  prune: {
    verb: 'upkeep',
    options: {
      ...SIGNING,
      'older-than': 'free',
      status: 'free',
      keep: 'free',
      'dry-run': 'free',
      yes: 'free',
      vacuum: 'free',
      'token-file': 'free',
    },
    looks: ['dry-run'],
    because: 'it deletes the record of decisions',
  },
  completion: { verb: 'free' },
};

/** Everything that a command line requires besides `free`. */
export function demandsOf(
  verb: string,
  use: { readonly options: readonly string[]; readonly action: string | undefined },
): { readonly demand: Exclude<Demand, 'free'>; readonly on: string }[] {
  const row = RIGHTS[verb];
  if (row === undefined || row.looks?.some((option) => use.options.includes(option)) === true) return [];
  const demands = [
    { on: verb, demand: use.action === undefined ? row.verb : (row.actions?.[use.action] ?? row.verb) },
    ...use.options.map((option) => ({ on: `${verb} --${option}`, demand: row.options?.[option] ?? 'free' })),
  ];
  return demands.flatMap(({ on, demand }) => (demand === 'free' ? [] : [{ on, demand }]));
}
