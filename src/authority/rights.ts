// Owns the table of rights: what each verb of the command line, and each of its options, takes. Everything that skips,
// accepts, widens or trusts is a decision of a named person and has a scope; everything else is free, or only kept
// from those who work inside a run. A verb or an option without a row does not pass the tidy test.

/** What a person can be allowed to do. A personal token has some of them. */
export const SCOPES = ['decide', 'override', 'trust', 'upkeep'] as const;

/** One of them. */
export type Scope = (typeof SCOPES)[number];

/**
 * What a verb takes. `free`: nothing. `steer`: not below a run or an agent, unless the run is their own; for a run that
 * somebody else started, `override`. A scope: a named person with that right. `asks`: the verb itself finds out whether it takes a right, and asks for it.
 */
export type Demand = 'free' | 'steer' | Scope | 'asks';

/** A row: what the verb takes by itself, and what its options and actions take beyond that. */
export interface RightRow {
  readonly verb: Demand;
  readonly options?: Readonly<Record<string, Demand>>;
  /** For a verb whose first word says what it does. */
  readonly actions?: Readonly<Record<string, Demand>>;
  /** Options with which the verb only looks, and takes nothing. */
  readonly looks?: readonly string[];
  /** Why, where the name does not tell. */
  readonly because?: string;
}

const SIGNING = { as: 'free', 'passphrase-fd': 'free' } as const satisfies RightRow['options'];
const SEEN = { ...SIGNING, digest: 'free', 'token-file': 'free', yes: 'free' } as const satisfies RightRow['options'];
const DECIDING = { ...SEEN, input: 'free', gate: 'free' } as const satisfies RightRow['options'];

const DRAWING = { format: 'free', out: 'free' } as const satisfies RightRow['options'];

/** The table. */
export const RIGHTS: Readonly<Record<string, RightRow>> = {
  demo: { verb: 'free', options: { keep: 'free', 'no-pause': 'free' }, because: 'it decides on a project that it made itself' },
  init: { verb: 'free', options: { js: 'free', yaml: 'free', claude: 'free', 'dry-run': 'free' } },
  list: { verb: 'free' },
  validate: { verb: 'free', options: { strict: 'free' } },
  graph: { verb: 'asks', options: { ...DRAWING, run: 'free' }, because: 'a workflow that is not trusted yet is trusted first' },
  export: { verb: 'asks', options: DRAWING, because: 'a workflow that is not trusted yet is trusted first' },
  trust: {
    verb: 'asks',
    options: { ...SIGNING, sign: 'free', yes: 'free', folder: 'free', revoke: 'steer', list: 'free', 'token-file': 'free' },
    because: 'what is trusted already needs nobody',
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
    because: 'driving a run on as it is needs nobody; at a terminal a person may be asked how it goes on',
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
    because: 'a fork that begins behind a check takes its result over by hand',
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
    because: 'a review or a check lets work pass, and asks for the right to decide; opening issues and pull requests decides nothing',
  },
  decide: { verb: 'decide', options: { ...DECIDING, option: 'free' } },
  approve: { verb: 'decide', options: DECIDING },
  reject: { verb: 'decide', options: DECIDING },
  answer: { verb: 'decide', options: { ...SEEN, step: 'free' } },
  token: {
    verb: 'free',
    options: { expires: 'free', scope: 'free' },
    actions: { create: 'asks', list: 'free', revoke: 'steer' },
    because: 'whoever makes a token gives away a right of theirs',
  },
  identity: {
    verb: 'free',
    options: SIGNING,
    actions: { create: 'asks', enrol: 'free', list: 'free', show: 'free', revoke: 'free' },
    because: 'enrolling and revoking take the passphrase of a key that counts',
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
    because: 'it takes decisions back that were made since',
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
    because: 'it removes the record of who decided what',
  },
  completion: { verb: 'free' },
};

/** Every demand that a use of a verb makes beside `free`, in the order of the table. */
export function demandsOf(
  verb: string,
  use: { readonly options: readonly string[]; readonly action: string | undefined },
): { readonly demand: Exclude<Demand, 'free'>; readonly on: string }[] {
  const row = RIGHTS[verb];
  if (row === undefined || row.looks?.some((option) => use.options.includes(option)) === true) return [];
  const made = [
    { on: verb, demand: use.action === undefined ? row.verb : (row.actions?.[use.action] ?? row.verb) },
    ...use.options.map((option) => ({ on: `${verb} --${option}`, demand: row.options?.[option] ?? 'free' })),
  ];
  return made.flatMap(({ on, demand }) => (demand === 'free' ? [] : [{ on, demand }]));
}
