// Owns the table of rights that commands and their options require. Everything that skips, accepts, extends or trusts
// something is a decision of a named person and needs a scope; everything else is free, or only forbidden inside a run. A
// tidy test fails if a command or an option has no row.

/** The scopes of rights. A personal token has some of them. */
export const SCOPES = ['decide', 'override', 'trust', 'upkeep'] as const;

/** One scope. */
export type Scope = (typeof SCOPES)[number];

/** The scopes of a login over HTTP: read, start and steer runs, decide. Each of the last two includes the first. */
export const LOGIN_SCOPES = ['view', 'operate', 'decide'] as const;

/** One scope of a login. */
export type LoginScope = (typeof LOGIN_SCOPES)[number];

/**
 * The right that a command requires. `free`: none. `steer`: not inside a run or an agent, unless it is their own run; for a run
 * that someone else started, `override`. A scope: a person with that right. `asks`: the command checks by itself.
 */
export type RequiredRight = 'free' | 'steer' | Scope | 'asks';

/** A row: the demand of a command, and the additional demands of its options and actions. */
interface RightRow {
  readonly verb: RequiredRight;
  /** Options that require nothing. */
  readonly free?: readonly string[];
  readonly options?: Readonly<Record<string, Exclude<RequiredRight, 'free'>>>;
  /** For a command whose first argument is an action. */
  readonly actions?: Readonly<Record<string, RequiredRight>>;
  /** Options with which the command only reads, and requires nothing. */
  readonly readsWith?: readonly string[];
  /** Why, if it is not obvious. */
  readonly reason?: string;
}

const SIGNING = ['as', 'passphrase-fd'];
const SIGNED = [...SIGNING, 'token-file'];
const ANSWERING = ['quiet', ...SIGNED, 'digest', 'yes'];
const DECIDING = [...ANSWERING, 'input', 'approval'];

/** The table. */
export const RIGHTS: Readonly<Record<string, RightRow>> = {
  demo: { verb: 'free', free: ['keep', 'no-pause'], reason: 'it decides in a project that it created itself' },
  init: {
    verb: 'free',
    free: ['js', 'yaml', 'template', 'repo', 'github-actions', 'claude', 'codex', 'gemini', 'opencode', 'yes', 'dry-run'],
  },
  list: { verb: 'free', free: ['status'] },
  validate: { verb: 'free', free: ['strict', 'hints', 'schema'] },
  lock: { verb: 'asks', free: ['check'], reason: 'a module that is not trusted yet is trusted first' },
  graph: { verb: 'asks', free: ['format', 'out', 'run'], reason: 'a workflow that is not trusted yet is trusted first' },
  skill: {
    verb: 'asks',
    free: [
      ...['step', 'total-steps', 'param', 'mode', 'decision', 'confidence', 'iteration', 'qr-iteration', 'qr-fail', 'qr-status', 'format'],
      ...['copy', 'claude', 'codex', 'gemini', 'opencode', 'agents', 'user', 'to', 'stateless', 'force', 'dry-run'],
    ],
    actions: {
      ...{ list: 'free', new: 'free', uninstall: 'free', export: 'free', resource: 'free' },
      ...{ show: 'asks', lint: 'asks', install: 'asks', step: 'asks' },
    },
    reason: 'a skill that is not trusted yet is trusted first',
  },
  prompt: {
    verb: 'asks',
    free: ['param', 'params', 'attended', 'format'],
    reason: 'a workflow that is not trusted yet is trusted first',
  },
  test: {
    verb: 'asks',
    free: ['category', 'filter', 'param', 'params', 'junit', 'subprocess'],
    reason: 'a workflow that is not trusted yet is trusted first',
  },
  export: { verb: 'asks', free: ['format', 'out'], reason: 'a workflow that is not trusted yet is trusted first' },
  trust: {
    verb: 'asks',
    free: [...SIGNED, 'sign', 'yes', 'folder', 'list'],
    options: { revoke: 'steer' },
    reason: 'files that are already trusted need no right',
  },
  run: {
    verb: 'asks',
    free: [
      ...[...SIGNED, 'param', 'params', 'issue', 'pr', 'event', 'payload', 'id', 'priority', 'detach', 'wait', 'quiet'],
      ...['attended', 'format', 'locked'],
    ],
    options: { from: 'override', output: 'override' },
    reason: 'a workflow that is not trusted yet is trusted first',
  },
  resume: {
    verb: 'asks',
    free: [...SIGNED, 'note', 'wait', 'quiet'],
    options: {
      ...{ retry: 'override', accept: 'override', to: 'override', rerun: 'override', done: 'override', failed: 'override' },
      ...{ output: 'override', extend: 'override', budget: 'override', 'accept-changes': 'trust' },
    },
    reason: 'continuing a run needs no right; after an escalation the choice does',
  },
  retry: { verb: 'override', free: [...SIGNED, 'note', 'wait', 'quiet'], options: { extend: 'override', 'accept-changes': 'trust' } },
  cancel: { verb: 'steer', free: [...SIGNED, 'reason', 'dry-run'], options: { 'no-undo': 'override' }, readsWith: ['dry-run'] },
  pause: { verb: 'steer', free: SIGNED },
  undo: { verb: 'steer', free: [...SIGNED, 'to', 'dry-run', 'keep-changed'], readsWith: ['dry-run'] },
  signal: { verb: 'steer', free: [...SIGNED, 'payload', 'id', 'quiet'] },
  fork: {
    verb: 'asks',
    free: [...SIGNED, 'param', 'params', 'dry-run', 'yes', 'quiet'],
    options: { from: 'asks', output: 'override' },
    readsWith: ['dry-run'],
    reason: 'a fork that starts after a check overrides that check',
  },
  next: { verb: 'free', free: ['token', 'format'] },
  done: {
    verb: 'free',
    free: ['token', 'result', 'success', 'failure', 'only', 'format'],
    reason: 'the engine verifies reports',
  },
  fail: { verb: 'free', free: ['token', 'reason', 'only', 'format'] },
  ask: { verb: 'free', free: ['token', 'questions', 'only', 'format'] },
  assume: {
    verb: 'free',
    free: ['token', 'question', 'assumed', 'severity', 'option', 'only', 'format'],
    reason: 'only a person can answer an assumption',
  },
  assumptions: { verb: 'free', free: ['all'] },
  mcp: { verb: 'free', free: ['run'], reason: 'none of its tools decides' },
  serve: {
    verb: 'steer',
    free: [...SIGNED, 'port', 'host', 'open', 'tls-cert', 'tls-key', 'locked'],
    reason: 'it drives runs; the login link that it prints needs the right to decide',
  },
  hook: { verb: 'free', free: ['agent'] },
  inbox: { verb: 'free', free: ['diff', 'new'] },
  forge: {
    verb: 'asks',
    free: ['title', 'body', 'label', 'head', 'base', 'draft', 'fork', 'name', 'add', 'remove', 'token-file'],
    options: { as: 'asks', approve: 'asks', 'request-changes': 'asks', conclusion: 'asks' },
    reason:
      'a review, a check, a comment with a command, and a comment or a label that a question waits for can make work pass, so they need the right to decide; runs and agents may not add other comments and labels, but may open issues and pull requests',
  },
  decide: { verb: 'decide', free: [...DECIDING, 'option'] },
  approve: { verb: 'decide', free: DECIDING },
  reject: { verb: 'decide', free: DECIDING },
  answer: { verb: 'decide', free: [...ANSWERING, 'step'], options: { assumption: 'decide', agree: 'decide' } },
  token: {
    verb: 'free',
    free: ['expires', 'scope'],
    actions: { create: 'asks', list: 'free', revoke: 'steer' },
    reason: 'creating a token gives away a right',
  },
  identity: {
    verb: 'free',
    free: SIGNING,
    actions: { create: 'asks', enrol: 'free', list: 'free', show: 'free', revoke: 'free' },
    reason: 'enrolling and revoking need the passphrase of an enrolled key',
  },
  access: {
    verb: 'free',
    free: [...SIGNING, 'for', 'scope', 'manages', 'approval', 'expires', 'limit'],
    actions: {
      ...{ login: 'asks', invite: 'asks', link: 'asks', token: 'asks', revoke: 'steer' },
      ...{ people: 'free', groups: 'free', sessions: 'free', passkeys: 'free', audit: 'free' },
    },
    reason: 'a link or a token gives someone else the right to decide',
  },
  runs: { verb: 'free', free: ['status', 'workflow', 'attended', 'limit', 'all'] },
  show: { verb: 'free', free: ['steps', 'output'] },
  logs: { verb: 'free', free: ['follow', 'since', 'quiet'] },
  diff: { verb: 'free', free: ['stat', 'name-only'] },
  watch: { verb: 'free', free: ['quiet'] },
  debug: { verb: 'free', free: ['out'] },
  doctor: { verb: 'free', free: ['repair'] },
  backup: { verb: 'free', options: { force: 'steer' } },
  restore: { verb: 'upkeep', free: SIGNED, options: { force: 'upkeep' }, reason: 'it undoes decisions made since the backup' },
  db: { verb: 'free', free: SIGNED, actions: { check: 'free', migrate: 'steer', adopt: 'upkeep' } },
  schedules: {
    verb: 'asks',
    free: [...SIGNED, 'from', 'until'],
    actions: { list: 'free', run: 'free', backfill: 'free', pause: 'upkeep', resume: 'upkeep' },
    reason: 'it starts trusted workflows, as "run" does',
  },
  actions: {
    verb: 'free',
    free: ['state', 'hold'],
    actions: { run: 'free' },
    reason: 'it has separate state, and a token of GitHub limits its changes',
  },
  trigger: { verb: 'asks', free: [...SIGNED, 'event', 'payload', 'id'], reason: 'it starts trusted workflows, as "run" does' },
  deliveries: {
    verb: 'asks',
    free: SIGNED,
    actions: { list: 'free', show: 'free', resend: 'upkeep' },
    reason: 'it repeats a request of a sender that has the secret',
  },
  data: {
    verb: 'free',
    free: [...SIGNED, 'database'],
    options: { 'allow-loss': 'upkeep' },
    actions: { status: 'free', migrate: 'steer', backup: 'free', restore: 'upkeep', diff: 'free' },
    reason: 'a restore loses writes since the backup, and a migration may drop tables',
  },
  config: { verb: 'free', free: ['show-origin'] },
  prune: {
    verb: 'upkeep',
    free: [...SIGNED, 'older-than', 'status', 'keep', 'dry-run', 'yes', 'vacuum'],
    readsWith: ['dry-run'],
    reason: 'it deletes the record of decisions',
  },
  worktrees: {
    verb: 'free',
    free: [...SIGNED, 'clean', 'yes'],
    options: { force: 'upkeep' },
    reason: 'it deletes work that exists nowhere else',
  },
  uninstall: {
    verb: 'upkeep',
    free: [...SIGNED, 'user', 'dry-run', 'yes'],
    readsWith: ['dry-run'],
    reason: 'it deletes the record of decisions',
  },
  completion: { verb: 'free' },
};

/** The demands of a command line, without `free`. */
export function requiredRightsOf(
  verb: string,
  use: { readonly options: readonly string[]; readonly action: string | undefined },
): { readonly demand: Exclude<RequiredRight, 'free'>; readonly on: string }[] {
  const row = RIGHTS[verb];
  if (row === undefined || row.readsWith?.some((option) => use.options.includes(option)) === true) return [];
  const ofAction = use.action === undefined ? undefined : row.actions?.[use.action];
  const demands: { readonly on: string; readonly demand: RequiredRight }[] = [
    { on: ofAction === undefined ? verb : `${verb} ${use.action}`, demand: ofAction ?? row.verb },
    ...use.options.map((option) => ({ on: `${verb} --${option}`, demand: row.options?.[option] ?? ('free' as const) })),
  ];
  return demands.flatMap(({ on, demand }) => (demand === 'free' ? [] : [{ on, demand }]));
}
