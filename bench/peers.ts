// The peers: other engines, doing what P1, P2, P3 and P6 ask of Pawl, with every step on disk before the next begins.
// They are a package of their own in bench/peers, and each is measured in a process of its own, whose end is the end of
// everything it started.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Row } from './measure.ts';

const FOLDER = fileURLToPath(new URL('./peers', import.meta.url));
const CHILD = join(FOLDER, 'child.js');
const TIMEOUT_MS = 300_000;
/** The slowest peer takes seconds for a turn; more turns than this would not tell more. */
const REPEATS_MAX = 3;

/** Nothing of the user's own settings reaches a peer, and none of them reports to its makers. */
const ENVIRONMENT: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  TMPDIR: process.env.TMPDIR,
  NO_PROXY: '127.0.0.1',
  LANGSMITH_TRACING: 'false',
  MASTRA_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
};

interface Peer {
  /** Its file in bench/peers. */
  readonly file: string;
  readonly name: string;
  /** In which of its forms it does the steps, where that moves the numbers. */
  readonly form?: string;
  /** The package whose version is said. */
  readonly package: string;
  readonly measures: readonly string[];
}

const IN_PROCESS = ['P1', 'P2', 'P3', 'P6'];

const PEERS: readonly Peer[] = [
  { file: 'langgraph-functional', name: 'LangGraph functional', package: '@langchain/langgraph', measures: IN_PROCESS },
  { file: 'langgraph-graph', name: 'LangGraph graph', form: 'a loop', package: '@langchain/langgraph', measures: IN_PROCESS },
  { file: 'mastra-chain', name: 'Mastra', form: 'a chain', package: '@mastra/core', measures: IN_PROCESS },
  { file: 'mastra-loop', name: 'Mastra', form: 'a loop', package: '@mastra/core', measures: ['P1', 'P2'] },
  { file: 'dbos', name: 'DBOS on PostgreSQL', package: '@dbos-inc/dbos-sdk', measures: IN_PROCESS },
  // A service of Restate is there before its work is: it has no cold start to compare.
  { file: 'restate', name: 'Restate', package: '@restatedev/restate-server', measures: ['P1', 'P2', 'P3'] },
  { file: 'xstate', name: 'XState', form: 'a loop, snapshots written by hand', package: 'xstate', measures: IN_PROCESS },
];

/** Peers that cannot be measured, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  Inngest: 'its npm package holds no server, but fetches one from elsewhere when it is installed',
};

/** How each measure is read. */
const READINGS: Readonly<Record<string, { readonly what: string; readonly of: (json: Row['json']) => string }>> = {
  P1: {
    what: 'one run of 100 / 1,000 steps, FULL',
    // The floor's own time is said too: where it differs between peers, the machine was busy and the ratios are rough.
    of: ({ ratio100 = 0, ratio = 0, msPerStep = 0, floorMsPerStep = 0 }) =>
      `${ratio100.toFixed(1)}× / ${ratio.toFixed(1)}× floor (${msPerStep.toFixed(2)} ms a step, floor ${floorMsPerStep.toFixed(2)} ms)`,
  },
  P2: {
    what: '200 runs × 10 steps, 100 at once',
    of: ({ stepsPerSecond = 0, ratio = 0 }) =>
      `${Math.round(stepsPerSecond).toLocaleString('en')} steps/s; ${(ratio * 100).toFixed(1)} % of the floor with group commit`,
  },
  P3: {
    what: 'one run, 1,000 parallel branches, joined',
    of: ({ ms = 0, ratio = 0 }) => `${ms.toFixed(0)} ms, ${ratio.toFixed(0)}× floor`,
  },
  P6: {
    what: 'cold start: a program that runs one step, against `node -e 0`',
    of: ({ ms = 0, nodeMs = 0, ratio = 0 }) => `${ratio.toFixed(2)}× (${ms.toFixed(0)} ms, ${nodeMs.toFixed(0)} ms)`,
  },
};

/** What is missing before peers can be measured, or undefined: the pinned packages, installed. */
export function missingPeers(folder: string = FOLDER): string | undefined {
  const { dependencies } = readManifest(folder) as { readonly dependencies: Readonly<Record<string, string>> };
  const missing = Object.entries(dependencies).filter(([name, version]) => versionOf(name, folder) !== version);
  if (missing.length === 0) return undefined;
  const names = missing.map(([name, version]) => `${name}@${version}`).join(', ');
  return `The peers are not installed: ${names}. Run \`npm --prefix bench/peers ci\` and try again.`;
}

/** The rows of the peers, all of them or those of some measures. None has a bar: they are what ours came from. */
export async function measurePeers(repeats: number, only?: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const peer of PEERS) {
    const measures = peer.measures.filter((id) => only?.includes(id) ?? true);
    if (measures.length > 0) rows.push(...(await measurePeer(peer, measures, Math.min(repeats, REPEATS_MAX))));
  }
  rows.sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  return [...rows, ...Object.entries(LEFT_OUT).map(([name, why]) => unmeasured(name.toLowerCase(), name, why))];
}

/** The best peers of 2026-11 (BENCH.md), for a run that measures none: Restate for P2, Mastra for P3. */
const RECORDED = { stepsPerSecond: 2714, branchesMs: 269 };

/** How well the best peer did where our bar depends on it. */
export function bestPeers(rows: readonly Row[]): typeof RECORDED {
  const of = (id: string, field: string): number[] =>
    rows.filter((row) => row.id.startsWith(`${id}.`)).flatMap(({ json }) => json[field] ?? []);
  const [rates, times] = [of('P2', 'stepsPerSecond'), of('P3', 'ms')];
  return {
    stepsPerSecond: rates.length === 0 ? RECORDED.stepsPerSecond : Math.max(...rates),
    branchesMs: times.length === 0 ? RECORDED.branchesMs : Math.min(...times),
  };
}

async function measurePeer(peer: Peer, measures: readonly string[], repeats: number): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-peer-'));
  try {
    const { lines, failure } = await runChild([CHILD, peer.file, folder, String(repeats), measures.join(',')], TIMEOUT_MS);
    const version = versionOf(peer.package, FOLDER);
    const name = [`${peer.name} ${version}`, peer.form].filter((part) => part !== undefined).join(', ');
    const rows = lines.map((line) => rowOf(peer, name, JSON.parse(line) as { readonly id: string; readonly json: Row['json'] }));
    const missing = measures.filter((id) => !rows.some((row) => row.id === `${id}.${peer.file}`));
    return [
      ...rows,
      ...missing.map((id) => unmeasured(`${id}.${peer.file}`, `${name}: ${READINGS[id]?.what}`, failure ?? 'it printed nothing')),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowOf(peer: Peer, name: string, { id, json }: { readonly id: string; readonly json: Row['json'] }): Row {
  const reading = READINGS[id];
  return { id: `${id}.${peer.file}`, what: `${name}: ${reading?.what}`, measured: reading?.of(json) ?? '', bar: '—', met: true, json };
}

function unmeasured(id: string, what: string, why: string): Row {
  return { id, what, measured: `not measured: ${why}`, bar: '—', met: true, json: {} };
}

/** Runs a program of Node until it ends or its time is over; then nothing of its process group is left. */
export async function runChild(words: readonly string[], timeoutMs: number): Promise<{ lines: string[]; failure?: string }> {
  // A group of its own, so that a server it started ends with it. Its input tells it that we are still there.
  const child = spawn(process.execPath, ['--no-warnings', ...words], { detached: true, stdio: 'pipe', env: ENVIRONMENT });
  let text = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-10_000);
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    endGroup(child);
  }, timeoutMs);
  child.once('exit', () => endGroup(child));
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  clearTimeout(timer);
  const lines = text.split('\n').slice(0, -1);
  if (late) return { lines, failure: `it took longer than ${timeoutMs / 1000} s` };
  return code === 0 ? { lines } : { lines, failure: firstError(errors) ?? `it ended with ${code}` };
}

/** The line that says what went wrong, without the lines of where. */
function firstError(errors: string): string | undefined {
  return /^\w*Error\b.*/m.exec(errors)?.[0];
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

function versionOf(name: string, folder: string): string | undefined {
  const manifest = join(folder, 'node_modules', name);
  return existsSync(join(manifest, 'package.json')) ? String(readManifest(manifest).version) : undefined;
}

function readManifest(folder: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
}
