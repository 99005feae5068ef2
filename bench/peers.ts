// Measures the peers: other engines that do the work of P1, P2, P3 and P6, with every step on disk before the next begins.
// They are a separate package, bench/peers. Each is measured in a separate process; when it ends, everything that it started
// is ended too.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Row } from './measure.ts';

const FOLDER = fileURLToPath(new URL('./peers', import.meta.url));
const CHILD = join(FOLDER, 'child.js');
const TIMEOUT_MS = 300_000;
/** The slowest peer takes seconds for a turn, and more turns than this do not change the result. */
const REPEATS_MAX = 3;

/** The environment of a peer: without the user's settings, and with its telemetry turned off. */
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
  /** How the workflow is written, if that changes the numbers. */
  readonly form?: string;
  /** The package whose version is shown. */
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
  // Restate calls a service that is already running, so it has no comparable cold start.
  { file: 'restate', name: 'Restate', package: '@restatedev/restate-server', measures: ['P1', 'P2', 'P3'] },
  { file: 'xstate', name: 'XState', form: 'a loop, snapshots written by hand', package: 'xstate', measures: IN_PROCESS },
];

/** Peers that cannot be measured, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  Inngest: 'its npm package holds no server, but fetches one from elsewhere when it is installed',
};

/** How the figures of each measure are shown. */
const READINGS: Readonly<Record<string, { readonly what: string; readonly of: (json: Row['json']) => string }>> = {
  P1: {
    what: 'one run of 100 / 1,000 steps, FULL',
    // The time of the floor is shown too: if it differs between peers, the machine was busy and the ratios are imprecise.
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

/** A message if the pinned packages of the peers are not installed. */
export function missingPeers(folder: string = FOLDER): string | undefined {
  const { dependencies } = readManifest(folder) as { readonly dependencies: Readonly<Record<string, string>> };
  const missing = Object.entries(dependencies).filter(([name, version]) => versionOf(name, folder) !== version);
  if (missing.length === 0) return undefined;
  const names = missing.map(([name, version]) => `${name}@${version}`).join(', ');
  return `The peers are not installed: ${names}. Run \`npm --prefix bench/peers ci\` and try again.`;
}

/** The rows of the peers, for all measures or some. They have no targets: Pawl's targets are derived from them. */
export async function measurePeers(repeats: number, only?: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const peer of PEERS) {
    const measures = peer.measures.filter((id) => only?.includes(id) ?? true);
    if (measures.length > 0) rows.push(...(await measurePeer(peer, measures, Math.min(repeats, REPEATS_MAX))));
  }
  rows.sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  return [...rows, ...Object.entries(LEFT_OUT).map(([name, why]) => unmeasured(name.toLowerCase(), name, why))];
}

/** The results of the best peers in November 2026, for a benchmark without `--peers`: Restate for P2, Mastra for P3. */
const RECORDED = { stepsPerSecond: 2714, branchesMs: 269 };

/** The results of the best peer that Pawl's targets depend on. */
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
  return { id: `${id}.${peer.file}`, what: `${name}: ${reading?.what}`, measured: reading?.of(json) ?? '', target: '—', met: true, json };
}

function unmeasured(id: string, what: string, why: string): Row {
  return { id, what, measured: `not measured: ${why}`, target: '—', met: true, json: {} };
}

/** Runs a Node program until it ends or times out, and then ends its whole process group. */
export async function runChild(words: readonly string[], timeoutMs: number): Promise<{ lines: string[]; failure?: string }> {
  // A separate process group, so that a server that it started can be ended with it. It also ends when its input is closed.
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

/** The message of the first error, without its stack. */
function firstError(errors: string): string | undefined {
  return /^\w*Error\b.*/m.exec(errors)?.[0];
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has already ended.
  }
}

function versionOf(name: string, folder: string): string | undefined {
  const manifest = join(folder, 'node_modules', name);
  return existsSync(join(manifest, 'package.json')) ? String(readManifest(manifest).version) : undefined;
}

function readManifest(folder: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
}
